"""Garbage collection: dependents are deleted after their owner, before it, or orphaned; and all in a namespace with it.

Source: Kubernetes, "Garbage Collection": background, foreground and orphan deletion.
"""

from metahook.simulator.apiserver.store import FINALIZERS, NAMESPACE, ApiServer
from metahook.simulator.clock import Clock
from metahook.simulator.controllers.delayed_queue import DelayedQueue
from metahook.simulator.history import Write
from metahook.simulator.objects import Json, Key, is_deleting, key_of, with_metadata

NAME = "garbage-collector"


class GarbageCollector:
    """Reconciles owners and dependents after their changes."""

    def __init__(self, api: ApiServer, clock: Clock) -> None:
        self._api = api
        self._queue = DelayedQueue(clock, self._reconcile, delay=0.05)
        api.watch(self._on_write)

    def _on_write(self, write: Write) -> None:
        item = write.after or write.before or {}
        for owner in _owners(item):
            self._queue.enqueue(self._key(owner, item))
        if write.after is None:
            for key in self._api.all_keys() if write.key.kind == NAMESPACE else ():
                if key.namespace == write.key.name:
                    self._queue.enqueue(key)
            for dependent in self._dependents(item):
                self._queue.enqueue(key_of(dependent))
        elif is_deleting(write.after) or _owners(item):
            self._queue.enqueue(write.key)

    def _reconcile(self, key: Key) -> None:
        item = self._api.get(key)
        if item is None:
            return
        if not is_deleting(item):
            self._collect(item)
            return
        finalizers = item["metadata"].get("finalizers", [])
        if FINALIZERS["orphan"] in finalizers:
            self._orphan(item)
            self._finish(item, FINALIZERS["orphan"])
        elif FINALIZERS["foreground"] in finalizers:
            dependents = self._dependents(item)
            for dependent in dependents:
                self._delete(dependent, "foreground")
            if not dependents:
                self._finish(item, FINALIZERS["foreground"])

    def _collect(self, item: Json) -> None:
        """Delete *item* if it has no owner left, or no namespace.

        A cluster-scoped object is never the dependent of a namespaced one.
        """
        owners = _owners(item)
        if not item["metadata"].get("namespace"):
            owners = [owner for owner in owners if not self._api.is_namespaced(owner["kind"])]
        is_alone = owners and not any(self._exists(owner, item) for owner in owners)
        if is_alone or not self._api.has_namespace(item["metadata"].get("namespace", "")):
            self._delete(item, "background")

    def _exists(self, owner: Json, item: Json) -> bool:
        live = self._api.get(self._key(owner, item))
        return live is not None and live["metadata"]["uid"] == owner["uid"]

    def _key(self, owner: Json, item: Json) -> Key:
        """Return the key of an *owner* of *item*, which is in the same namespace or cluster-scoped."""
        namespace = item["metadata"].get("namespace", "") if self._api.is_namespaced(owner["kind"]) else ""
        return Key(owner["kind"], namespace, owner["name"])

    def _dependents(self, item: Json) -> list[Json]:
        uid = item["metadata"]["uid"]
        found = (self._api.get(key) for key in self._api.all_keys())
        return [other for other in found if other and any(owner["uid"] == uid for owner in _owners(other))]

    def _orphan(self, item: Json) -> None:
        for dependent in self._dependents(item):
            left = [owner for owner in _owners(dependent) if owner["uid"] != item["metadata"]["uid"]]
            self._api.update(with_metadata(dependent, ownerReferences=left or None), NAME)

    def _finish(self, item: Json, finalizer: str) -> None:
        left = [other for other in item["metadata"]["finalizers"] if other != finalizer]
        self._api.update(with_metadata(item, finalizers=left or None), NAME)

    def _delete(self, item: Json, policy: str) -> None:
        if not is_deleting(item):
            self._api.delete(key_of(item), NAME, uid=item["metadata"]["uid"], policy=policy)


def _owners(item: Json) -> list[Json]:
    owners: list[Json] = item["metadata"].get("ownerReferences", [])
    return owners
