"""The cluster of a run: a control plane with an emulated kubelet, MyResources, and in most runs this operator."""

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx

from app.api.names import SHARD_LABEL
from bench.scale.activity import METADATA_ONLY, Activity, Event, Watch
from bench.scale.installation import Installation, Settings
from bench.scale.measurement import Meter
from metahook.envtest.binaries import Binaries
from metahook.envtest.client import Client, Refused
from metahook.envtest.cluster import documents, establish
from metahook.envtest.control_plane import ControlPlane
from metahook.envtest.process import Process
from metahook.simulator.objects import Json
from tests.e2e import gateway
from tests.e2e.control_plane import USERS
from tests.e2e.installed import ROOT
from tests.e2e.kubelet import status
from tests.e2e.statuses import condition
from tests.e2e.used import SETTINGS, USED, put_all
from tests.e2e.watched import CRD
from tests.simulated.worlds import parent

_WORKERS = 3


class Kubelet:
    """Writes the status of each Pod in the events that it receives."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._pods: dict[str, dict[str, Any]] = {}
        self._due: queue.SimpleQueue[tuple[dict[str, Any], str | None] | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(_WORKERS)]

    def start(self) -> None:
        """Start to write."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop, without the statuses that are still due."""
        with suppress(queue.Empty):
            while True:
                self._due.get_nowait()
        for _ in self._threads:
            self._due.put(None)
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def receive(self, event: Event) -> None:
        """Let a new Pod run."""
        pod = event.object
        uid = pod["metadata"]["uid"]
        if event.type == "DELETED" or "deletionTimestamp" in pod["metadata"]:
            self._pods.pop(uid, None)
        elif uid not in self._pods:
            self._pods[uid] = pod
            self._due.put((pod, None))

    def fail_all(self) -> None:
        """Let the container of each Pod be OOM killed."""
        for pod in list(self._pods.values()):
            self._due.put((pod, "oom"))

    def _work(self) -> None:
        while (due := self._due.get()) is not None:
            self._write(*due)

    def _write(self, pod: dict[str, Any], fate: str | None) -> None:
        metadata = pod["metadata"]
        change = {"status": status(pod, fate, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))}
        with suppress(httpx.HTTPError, Refused):  # the Pod is deleted, or the run ends
            self._client.change("Pod", metadata["namespace"], metadata["name"], change, part="/status")


SPREAD = 20
"""Namespaces."""

_WRITERS = 4
_ALL = ("MyResource", "Deployment", "ReplicaSet", "Pod")
_PATIENCE = 120.0

Item = TypeVar("Item")
Name = tuple[str, str]
"""The namespace and the name of a MyResource."""


class Parents:
    """*size* MyResources in several namespaces, spread evenly over *shards*."""

    def __init__(self, client: Client, size: int, shards: int = 1) -> None:
        self._client = client
        self._shards = shards
        spread = min(SPREAD, size)
        self._namespaces = [f"n{number}" for number in range(spread)]
        self.names: list[Name] = [(self._namespaces[number % spread], f"web{number}") for number in range(size)]
        self._created: set[Name] = set()
        self._ready: set[Name] = set()
        self._left: set[Name] = set()
        self._lock = threading.Lock()

    def prepare(self) -> None:
        """Create the namespaces, and in each the objects that its MyResources may use."""
        for name in self._namespaces:
            self._client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
            put_all(self._client, name)
        end = time.monotonic() + _PATIENCE
        while any(self._client.get("ServiceAccount", name, "default") is None for name in self._namespaces):
            if time.monotonic() > end:
                message = "kube-controller-manager created no ServiceAccount"
                raise TimeoutError(message)
            time.sleep(0.1)

    def create(self, spec: Json) -> None:
        """Create all, with this *spec*."""
        self._each(enumerate(self.names), lambda item: self._create(item[1], item[0] % self._shards, spec))

    def create_first(self, spec: Json) -> None:
        """Create one more in each shard."""
        for shard in range(self._shards):
            self._create((self._namespaces[0], f"first{shard}"), shard, spec)

    def _create(self, name: Name, shard: int, spec: Json) -> None:
        item = parent(name[1], namespace=name[0], **spec)
        if shard:
            item["metadata"]["labels"] = {SHARD_LABEL: str(shard)}
        self._created.add(name)
        self._client.create(item)

    def change_all(self, spec: Json) -> None:
        """Change fields of the spec of each MyResource."""
        self._each(self.names, lambda name: self._client.change("MyResource", *name, {"spec": spec}))

    def change_half(self, spec: Json) -> None:
        """Change fields of the spec of every other MyResource."""
        self._each(self.half, lambda name: self._client.change("MyResource", *name, {"spec": spec}))

    def change_config(self) -> None:
        """Change the ConfigMap in each namespace."""
        change = {"data": {USED: "changed"}}
        self._each(self._namespaces, lambda name: self._client.change("ConfigMap", name, SETTINGS, change))

    def change_unused(self, times: int) -> None:
        """Change a ConfigMap that no MyResource uses, so many *times*."""
        namespace, name = self._namespaces[0], "unused"
        metadata = {"name": name, "namespace": namespace}
        self._client.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {}})
        for number in range(times):
            self._client.change("ConfigMap", namespace, name, {"data": {USED: str(number)}})

    @property
    def half(self) -> list[Name]:
        """Half of each namespace, rounded up."""
        places = [self.names[at :: len(self._namespaces)] for at in range(len(self._namespaces))]
        return [name for place in places for name in place[::2]]

    def delete(self) -> None:
        """Delete all MyResources, and wait until their children are gone, too."""
        for name in {item["metadata"]["namespace"] for item in self._client.all("MyResource")}:
            self._client.http.delete(self._client.path("MyResource", name)).raise_for_status()
        end = time.monotonic() + _PATIENCE + 0.2 * len(self._created)
        while left := [kind for kind in _ALL if self._client.all(kind, limit="1")]:
            if time.monotonic() > end:
                message = f"not deleted: {', '.join(left)}"
                raise TimeoutError(message)
            time.sleep(0.5)
        self._created.clear()

    def receive(self, event: Event) -> None:
        """Note whether a MyResource is Ready."""
        metadata = event.object["metadata"]
        name = metadata["namespace"], metadata["name"]
        with self._lock:
            if event.type != "DELETED" and is_ready(event.object):
                self._ready.add(name)
            elif name in self._ready:
                self._ready.discard(name)
                self._left.add(name)

    def mark(self) -> None:
        """Forget which MyResources stopped being Ready until now."""
        with self._lock:
            self._left.clear()

    def are_ready(self) -> bool:
        """Return whether all that were created are Ready."""
        with self._lock:
            return self._created <= self._ready

    def have_failed(self) -> bool:
        """Return whether none is Ready."""
        return not self._ready

    def are_ready_again(self) -> bool:
        """Return whether all are Ready, and none of them stayed so since the mark."""
        return self.are_ready() and len(self._left) >= len(self.names)

    def half_is_ready_again(self) -> bool:
        """Return whether all are Ready, and half of them were not since the mark."""
        return self.are_ready() and len(self._left) >= len(self.half)

    def _each(self, items: Iterable[Item], act: Callable[[Item], object]) -> None:
        with ThreadPoolExecutor(_WRITERS) as pool:
            list(pool.map(act, items))


def is_ready(item: Json) -> bool:
    """Return whether a MyResource is Ready in its present generation."""
    status, generation = item.get("status", {}), item["metadata"]["generation"]
    if status.get("observedGeneration") != generation:
        return False
    return status.get("state") == "Ready" and condition(item, "Ready").get("status") == "True"


OPTIONS = (
    "--etcd-compaction-interval=1m",  # otherwise etcd keeps all versions of five minutes
    "--profiling=false",
)
"""Those of kube-apiserver."""
_DEFAULT = Settings()


@dataclass(frozen=True)
class Plane:
    """A running control plane with an emulated kubelet, without an operator."""

    control_plane: ControlPlane
    client: Client
    parents: Parents
    kubelet: Kubelet
    activity: Activity

    def meter(self, processes: Iterable[Process]) -> Meter:
        """Return what measures an operator that these *processes* are."""
        own = (self.control_plane.apiserver, self.control_plane.etcd, self.control_plane.controllers)
        return Meter(self.client, (*own, *processes), self.activity)


@contextmanager
def plane(control_plane: ControlPlane, binaries: Binaries, size: int, shards: int = 1) -> Iterator[Plane]:
    """Start *control_plane* for *size* MyResources in *shards*; stop all of it in any case."""
    with ExitStack() as stack:
        stack.callback(control_plane.stop)
        control_plane.start()
        client = control_plane.client()
        ours = documents(ROOT / "crds/mygroup.example.com_myresources.yaml")
        establish(client, (*documents(binaries.crds), CRD, *gateway.crds(), *ours))
        control_plane.controllers.start()
        parents, kubelet, activity = Parents(client, size, shards), Kubelet(client), Activity()

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
        yield Plane(control_plane, client, parents, kubelet, activity)


@dataclass(frozen=True)
class Cluster:
    """A running cluster, whose Metacontrollers are not yet started."""

    installation: Installation
    parents: Parents
    kubelet: Kubelet
    meter: Meter


@contextmanager
def cluster(
    binaries: Binaries, folder: Path, size: int, shards: int = 1, settings: Settings = _DEFAULT
) -> Iterator[Cluster]:
    """Start a cluster for *size* MyResources in *shards*; stop all of it in any case."""
    control_plane = ControlPlane(binaries, folder, USERS, OPTIONS)
    installation = Installation(binaries, folder, control_plane, shards, settings)
    with plane(control_plane, binaries, size, shards) as running, ExitStack() as stack:
        for process in installation.processes:
            stack.callback(process.stop)
        installation.install(running.client)
        running.activity.observe(installation.work)
        yield Cluster(installation, running.parents, running.kubelet, running.meter(installation.processes))
