"""The record: every version of every object of some kinds, from watches."""

import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx

from metahook import last_change
from metahook.envtest.client import Client
from metahook.simulator.objects import Json, Key

KINDS = ("MyResource", "Deployment", "ReplicaSet", "Service", "Pod", "ConfigMap", "Event")


@dataclass(frozen=True)
class Version:
    """A version of an object. *number*: its resourceVersion; *deleted*: whether it is the last one."""

    at: float
    number: int
    deleted: bool
    item: Json
    status_stored_at: str = ""
    """When the API server stored its status, by its own clock; empty if it has none."""


@dataclass
class Record:
    """All versions by key. Listeners are called for each version, in the thread of its watch."""

    versions: dict[Key, list[Version]] = field(default_factory=lambda: defaultdict(list))
    listeners: list[Callable[[Key, Version], None]] = field(default_factory=list)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _moved: dict[str, float] = field(default_factory=dict)
    _count: int = 0

    def add(self, key: Key, version: Version) -> None:
        """Add a *version* if it is new."""
        with self._changed:
            known = self.versions[key]
            if known and known[-1].number >= version.number:
                return
            known.append(version)
            self._count += 1
            if key.kind != "Event":
                self._moved[key.namespace] = version.at
            self._changed.notify_all()
        for listener in self.listeners:
            listener(key, version)

    def of(self, kind: str, namespace: str, name: str) -> list[Version]:
        """Return all versions of an object."""
        with self._changed:
            return list(self.versions.get(Key(kind, namespace, name), []))

    def latest(self, kind: str, namespace: str, name: str) -> Json | None:
        """Return the latest version of an object, or None if it is deleted."""
        versions = self.of(kind, namespace, name)
        return None if not versions or versions[-1].deleted else versions[-1].item

    def everything(self, kind: str = "", namespace: str = "") -> dict[Key, list[Version]]:
        """Return the versions of all objects of *kind* or of all, in *namespace* or in all."""
        with self._changed:
            found = {key: list(versions) for key, versions in self.versions.items() if kind in ("", key.kind)}
        return {key: versions for key, versions in found.items() if namespace in ("", key.namespace)}

    def until(self, holds: Callable[[], bool], within: float) -> bool:
        """Wait up to *within* seconds until *holds* returns True; return whether it did."""
        end = time.monotonic() + within
        while True:
            seen = self._count
            if holds():
                return True
            left = end - time.monotonic()
            if left <= 0:
                return False
            with self._changed:
                self._changed.wait_for(lambda seen=seen: self._count != seen, min(left, 0.2))  # type: ignore[misc]  # a lambda's default has no type

    def moved(self, namespace: str) -> float:
        """Return the time of the last change in *namespace*."""
        return self._moved.get(namespace, 0)


class Watch(threading.Thread):
    """Watches a kind, in one *namespace* or in all, until the API server is stopped for good."""

    def __init__(self, kind: str, client: Client, record: Record, namespace: str = "") -> None:
        super().__init__(name=f"watch {kind}", daemon=True)
        self._kind = kind
        self._namespace = namespace
        self._client = client
        self._record = record
        self.stopping = threading.Event()

    def run(self) -> None:
        """List, then watch; repeat when the watch ends."""
        while not self.stopping.is_set():
            try:
                self._watch(self._list())
            except (httpx.HTTPError, LookupError, ValueError):  # it is or was down, or does not serve the kind yet
                self.stopping.wait(0.2)

    def _path(self) -> str:
        return self._client.path(self._kind, self._namespace)

    def _list(self) -> str:
        """Add existing and deleted objects; return the version to watch from."""
        body = self._client.http.get(self._path()).json()
        there = {self._seen({**item, "kind": self._kind}, deleted=False) for item in body["items"]}
        number = int(body["metadata"]["resourceVersion"])
        for key, versions in self._record.everything(self._kind, self._namespace).items():
            if key not in there and not versions[-1].deleted:
                self._record.add(key, Version(time.time(), number, deleted=True, item=versions[-1].item))
        return str(number)

    def _watch(self, version: str) -> None:
        query = {"watch": "1", "resourceVersion": version}
        with self._client.http.stream("GET", self._path(), params=query, timeout=httpx.Timeout(30, read=None)) as it:
            for line in it.iter_lines():
                event = json.loads(line)
                if event["type"] == "ERROR":
                    return
                self._seen(event["object"], deleted=event["type"] == "DELETED")

    def _seen(self, item: Json, *, deleted: bool) -> Key:
        metadata = item["metadata"]
        stored = last_change(json.dumps(metadata.pop("managedFields", [])).encode(), of_status=True)
        key = Key(self._kind, metadata["namespace"], metadata["name"])
        self._record.add(key, Version(time.time(), int(metadata["resourceVersion"]), deleted, item, stored))
        return key
