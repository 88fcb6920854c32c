"""The cluster of a run: a control plane without an audit log, an emulated kubelet, MyResources and the operator."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.scale.activity import Activity
from bench.scale.installation import Installation
from bench.scale.kubelet import Kubelet
from bench.scale.measurement import Meter
from bench.scale.parents import Parents
from bench.scale.watch import METADATA_ONLY, Event, Watch
from metahook.envtest.binaries import Binaries
from metahook.envtest.control_plane import ControlPlane
from metahook.envtest.manifests import documents, establish
from tests.e2e.control_plane import USERS
from tests.e2e.installed import ROOT
from tests.e2e.watched import CRD

_OPTIONS = (
    "--etcd-compaction-interval=1m",  # otherwise etcd keeps all versions of five minutes
    "--profiling=false",
)


@dataclass(frozen=True)
class Cluster:
    """A running cluster, whose Metacontrollers are not yet started."""

    installation: Installation
    parents: Parents
    kubelet: Kubelet
    meter: Meter


@contextmanager
def cluster(
    binaries: Binaries, folder: Path, size: int, shards: int = 1, options: Sequence[str] = ()
) -> Iterator[Cluster]:
    """Start a cluster for *size* MyResources in *shards*, whose hook has *options*; stop all of it in any case."""
    control_plane = ControlPlane(binaries, folder, USERS, _OPTIONS)
    installation = Installation(binaries, folder, control_plane, shards, options)
    with ExitStack() as stack:
        stack.callback(control_plane.stop)
        control_plane.start()
        client = control_plane.client()
        crds = (*documents(binaries.crds), CRD, *documents(ROOT / "crds/mygroup.example.com_myresources.yaml"))
        establish(client, crds)
        for process in installation.processes:
            stack.callback(process.stop)
        installation.install(client)
        control_plane.controllers.start()
        parents, kubelet, activity = Parents(client, size, shards), Kubelet(client), Activity(installation)

        def receive_myresource(event: Event) -> None:
            parents.receive(event)
            activity.receive_myresource(event)

        def receive_pod(event: Event) -> None:
            kubelet.receive(event)
            activity.receive_related(event)

        watches = (
            Watch(client, "MyResource", receive_myresource),
            Watch(client, "Deployment", activity.receive_deployment, METADATA_ONLY),
            Watch(client, "Service", activity.receive_related, METADATA_ONLY),
            Watch(client, "Pod", receive_pod),
        )
        for watch in watches:
            stack.callback(watch.stopping.set)
            watch.start()
        for started in (kubelet, activity):
            stack.callback(started.stop)
            started.start()
        parents.prepare()
        planes = (control_plane.apiserver, control_plane.etcd, control_plane.controllers)
        yield Cluster(installation, parents, kubelet, Meter(client, (*planes, *installation.processes), activity))
