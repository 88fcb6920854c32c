"""Many MyResources with the same spec, created at once in several namespaces."""

import threading
import time
from dataclasses import dataclass, field

from metahook.simulator.objects import Json, Key
from tests.e2e.cluster import Cluster
from tests.e2e.namespace import Namespace
from tests.e2e.record import Version
from tests.e2e.statuses import state_and_reason
from tests.e2e.used import put_all

PATIENCE = 1800.0


@dataclass
class Crowd:
    """*size* MyResources in *spread* namespaces."""

    cluster: Cluster
    size: int
    spread: int
    _unready: set[Key] = field(default_factory=set)
    _ready: threading.Event = field(default_factory=threading.Event)

    def prepare(self) -> None:
        """Create the namespaces, and in each the objects that its MyResources use."""
        self._namespaces = [Namespace(self.cluster, f"n{number}") for number in range(self.spread)]
        for namespace in self._namespaces:
            put_all(self.cluster.client, namespace.name)

    def create(self, spec: Json) -> float:
        """Create all MyResources and wait until they are Ready; return the seconds that this took."""
        start = time.monotonic()
        names = [(self._namespaces[number % self.spread], f"web{number}") for number in range(self.size)]
        self._unready = {Key("MyResource", namespace.name, name) for namespace, name in names}
        self.cluster.record.listeners.append(self._observe)
        for namespace, name in names:
            namespace.make(name, **spec)
        if not self._ready.wait(PATIENCE):
            message = f"{len(self._unready)} of {self.size} MyResources did not become Ready"
            raise TimeoutError(message)
        return time.monotonic() - start

    def _observe(self, key: Key, version: Version) -> None:
        if key.kind == "MyResource" and state_and_reason(version.item) == ("Ready", "Available"):
            self._unready.discard(key)
            if not self._unready:
                self._ready.set()
