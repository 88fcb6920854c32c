"""A crowd: many MyResources with one spec, made at once, spread over namespaces."""

import threading
import time
from dataclasses import dataclass, field

from metahook.simulator.objects import Json, Key
from tests.e2e.cluster import Cluster
from tests.e2e.namespace import Namespace
from tests.e2e.record import Version
from tests.e2e.said import says
from tests.e2e.used import put_all

PATIENCE = 1800.0


@dataclass
class Crowd:
    """As many MyResources as *size*, in as many namespaces as *spread*."""

    cluster: Cluster
    size: int
    spread: int
    _waits_for: set[Key] = field(default_factory=set)
    _ready: threading.Event = field(default_factory=threading.Event)

    def prepare(self) -> None:
        """Make the namespaces, and in each what its MyResources use."""
        self._namespaces = [Namespace(self.cluster, f"n{number}") for number in range(self.spread)]
        for namespace in self._namespaces:
            put_all(self.cluster.client, namespace.name)

    def make(self, spec: Json) -> float:
        """Make them all, and wait until they are Ready; return after how many seconds."""
        start = time.monotonic()
        places = [(self._namespaces[number % self.spread], f"web{number}") for number in range(self.size)]
        self._waits_for = {Key("MyResource", place.name, name) for place, name in places}
        self.cluster.record.listeners.append(self._seen)
        for place, name in places:
            place.make(name, **spec)
        if not self._ready.wait(PATIENCE):
            message = f"{len(self._waits_for)} of {self.size} MyResources did not become Ready"
            raise TimeoutError(message)
        return time.monotonic() - start

    def _seen(self, key: Key, version: Version) -> None:
        if key.kind == "MyResource" and says(version.item) == ("Ready", "Available"):
            self._waits_for.discard(key)
            if not self._waits_for:
                self._ready.set()
