"""The MyResources of a measurement: all have the same spec, in several namespaces, spread evenly over the shards."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app.api.names import SHARD_LABEL as LABEL
from bench.shards.load import calls
from metahook.envtest.process import Process
from metahook.simulator.objects import Json
from tests.e2e.cluster import Cluster
from tests.e2e.namespace import Namespace
from tests.e2e.statuses import state_and_reason
from tests.e2e.used import CONFIG, PORTS, USED, put_all

SPEC: Json = {**PORTS, **CONFIG}
"""Three rules: its Service, its Pods and its ConfigMap."""
SPREAD = 20
"""Namespaces."""
PATIENCE = 1800.0
"""Seconds until all are Ready, at most."""
QUIET = 1.5
"""Seconds without a call of the hook after which none is expected."""


@dataclass
class Crowd:
    """*size* MyResources in *shards*."""

    cluster: Cluster
    size: int
    shards: int
    _namespaces: list[Namespace] = field(default_factory=list)

    def prepare(self) -> None:
        """Create the namespaces with what the MyResources use, and one MyResource of each shard, and wait for these.

        Each Metacontroller then watches the related kinds.
        """
        self._namespaces = [Namespace(self.cluster, f"n{number}") for number in range(SPREAD)]
        for namespace in self._namespaces:
            put_all(self.cluster.client, namespace.name)
        first = self._namespaces[0]
        for shard in range(self.shards):
            self._create(first, f"first{shard}", shard)
        wait(lambda: self._ready() == self.shards, "the first MyResource of each shard")

    def create(self) -> float:
        """Create all and wait until they are Ready; return the seconds that this took."""
        start = time.monotonic()
        for number in range(self.size):
            self._create(self._namespaces[number % SPREAD], f"web{number}", number % self.shards)
        wait(lambda: self._ready() == self.size + self.shards, "all MyResources")
        return time.monotonic() - start

    def events(self, count: int) -> None:
        """Change a ConfigMap that no MyResource uses, *count* times."""
        name, namespace = "unused", self._namespaces[0].name
        metadata = {"name": name, "namespace": namespace}
        self.cluster.client.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {}})
        for number in range(count):
            self.cluster.client.change("ConfigMap", namespace, name, {"data": {USED: str(number)}})

    def related(self) -> int:
        """Return the number of events of Pods and Services so far."""
        return sum(
            len(versions) for kind in ("Pod", "Service") for versions in self.cluster.record.everything(kind).values()
        )

    def _create(self, namespace: Namespace, name: str, shard: int) -> None:
        labels = {LABEL: str(shard)} if shard else {}
        self.cluster.client.create(namespace.manifest(name, labels=labels, **SPEC))

    def _ready(self) -> int:
        everything = self.cluster.record.everything("MyResource").values()
        return sum(state_and_reason(versions[-1].item) == ("Ready", "Available") for versions in everything)


def wait(holds: Callable[[], bool], what: str) -> None:
    """Wait until *holds* returns True; raise TimeoutError that names *what*."""
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            message = f"{what}: not Ready within {PATIENCE:.0f} s"
            raise TimeoutError(message)
        time.sleep(0.1)


def wait_until_quiet(metacontrollers: Sequence[Process]) -> float:
    """Wait until the hook is called no more; return the seconds until the last call."""
    start = last = time.monotonic()
    before = [calls(process) for process in metacontrollers]
    while time.monotonic() - last < QUIET:
        time.sleep(0.1)
        now = [calls(process) for process in metacontrollers]
        if now != before:
            before, last = now, time.monotonic()
    return last - start
