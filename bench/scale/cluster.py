"""The cluster of a run: a control plane without an audit log, an emulated kubelet, MyResources, and an operator."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.scale.activity import Activity
from bench.scale.kubelet import Kubelet
from bench.scale.measurement import Meter
from bench.scale.operators import Operator
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

Make = Callable[[Binaries, Path, ControlPlane], Operator]
"""Returns an operator with its files in a folder; it may raise MissingGo."""


@dataclass(frozen=True)
class Cluster:
    """A running cluster. The operator's process with the queue is not yet started."""

    operator: Operator
    parents: Parents
    kubelet: Kubelet
    meter: Meter


@contextmanager
def cluster(binaries: Binaries, folder: Path, make: Make, size: int, spread: int) -> Iterator[Cluster]:
    """Start a cluster for *size* MyResources in *spread* namespaces, and stop all of it in any case."""
    control_plane = ControlPlane(binaries, folder, USERS, _OPTIONS)
    operator = make(binaries, folder, control_plane)
    with ExitStack() as stack:
        stack.callback(control_plane.stop)
        control_plane.start()
        client = control_plane.client()
        crds = (*documents(binaries.crds), CRD, *documents(ROOT / "crds/mygroup.example.com_myresources.yaml"))
        establish(client, crds)
        for process in operator.processes:
            stack.callback(process.stop)
        operator.install(client)
        control_plane.controllers.start()
        parents, kubelet, activity = Parents(client, size, spread), Kubelet(client), Activity(operator)

        def receive_myresource(event: Event) -> None:
            parents.receive(event)
            activity.receive_myresource(event)

        watches = (
            Watch(client, "MyResource", receive_myresource),
            Watch(client, "Deployment", activity.receive_deployment, METADATA_ONLY),
            Watch(client, "Pod", kubelet.receive),
        )
        for watch in watches:
            stack.callback(watch.stopping.set)
            watch.start()
        for started in (kubelet, activity):
            stack.callback(started.stop)
            started.start()
        parents.prepare()
        processes = (
            control_plane.apiserver,
            control_plane.etcd,
            control_plane.controllers,
            *operator.processes,
        )
        yield Cluster(operator, parents, kubelet, Meter(client, processes, activity))
