"""Many MyResources, and which of them are Ready."""

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from app.api.names import SHARD_LABEL
from bench.scale.watch import Event
from metahook.envtest.client import Client
from metahook.simulator.objects import Json
from tests.e2e.statuses import state_and_reason
from tests.e2e.used import SETTINGS, USED, put_all
from tests.simulated.worlds import parent

SPREAD = 20
"""Namespaces."""

_WRITERS = 4
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

    def receive(self, event: Event) -> None:
        """Note whether a MyResource is Ready."""
        metadata = event.object["metadata"]
        name = metadata["namespace"], metadata["name"]
        with self._lock:
            if state_and_reason(event.object) == ("Ready", "Available"):
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

    def half_is_ready_again(self) -> bool:
        """Return whether all are Ready, and half of them were not since the mark."""
        return self.are_ready() and len(self._left) >= len(self.half)

    def _each(self, items: Iterable[Item], act: Callable[[Item], object]) -> None:
        with ThreadPoolExecutor(_WRITERS) as pool:
            list(pool.map(act, items))
