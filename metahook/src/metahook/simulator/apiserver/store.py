"""The API server: objects that have versions and generations, those who watch them, and the record of every write."""

import itertools
from collections.abc import Callable

from metahook.simulator.apiserver import server_side_apply
from metahook.simulator.apiserver.born import SYSTEM, as_read, born, named, placed
from metahook.simulator.apiserver.ownership import Ownership
from metahook.simulator.apiserver.rules import Refused, check, check_owner, moved
from metahook.simulator.apiserver.stored import stored, stored_status
from metahook.simulator.apiserver.typed import check_status
from metahook.simulator.clock import Clock
from metahook.simulator.history import History, Write
from metahook.simulator.objects import Json, Key, copied, deleting, key_of, text, with_metadata

Watcher = Callable[[Write], None]
Admission = Callable[[Json, Json | None], Json]
"""Returns the object that is to be stored, given the one that is there; raises Refused."""

FINALIZERS = {"foreground": "foregroundDeletion", "orphan": "orphan"}
"""What a way of deleting, other than in the background, leaves for the garbage collector."""


class ApiServer:
    """Objects by key. What it is given and what it gives nobody changes, as everybody has the same."""

    def __init__(self, clock: Clock, history: History) -> None:
        self.clock = clock
        self.history = history
        self.admission: list[Admission] = []
        self._watchers: list[Watcher] = []
        self._objects: dict[Key, Json] = {}
        self._owners: dict[Key, Ownership] = {}
        self._versions = itertools.count(1)

    def watch(self, watcher: Watcher) -> None:
        """Tell *watcher* of every change from now on, at once."""
        self._watchers.append(watcher)

    def get(self, key: Key) -> Json | None:
        """Return an object, or None."""
        return self._objects.get(key)

    def all(self, kind: str) -> list[Json]:
        """Return all objects of *kind*."""
        return [item for key, item in self._objects.items() if key.kind == kind]

    def all_keys(self) -> list[Key]:
        """Return the keys of all objects."""
        return list(self._objects)

    def create(self, item: Json, actor: str) -> Json:
        """Store a new object and return it; raise Refused."""
        number = next(self._versions)
        item = named(as_read(item), number)
        key = key_of(item)
        return self._record("create", key, actor, lambda: self._created(key, item, number, actor))

    def update(self, item: Json, actor: str) -> Json:
        """Store all of *item* but its status, and return what is stored; raise Refused."""
        item = as_read(item)
        key = key_of(item)
        return self._record("update", key, actor, lambda: self._updated(key, item, actor))

    def patch(self, key: Key, change: Callable[[Json], Json], actor: str) -> Json:
        """Store what *change* returns for the object that is there, and return what is stored; raise Refused."""
        return self._record("patch", key, actor, lambda: self._updated(key, change(self._live(key)), actor))

    def apply(self, item: Json, actor: str) -> Json:
        """Apply *item* server-side, by force, and return what is stored; raise Refused."""
        item = as_read(item)
        key = key_of(item)
        return self._record("apply", key, actor, lambda: self._merged(key, server_side_apply.as_yaml(item)))

    def update_status(self, item: Json, actor: str) -> Json:
        """Store the status of *item* alone, and return what is stored; raise Refused."""
        key = key_of(item)
        return self._record("update status", key, actor, lambda: self._told(key, item["status"]))

    def delete(self, key: Key, actor: str, *, uid: str | None = None, policy: str = "background") -> None:
        """Remove an object, at once or once its finalizers are gone; raise Refused. Pods end gracefully."""
        self._record("delete", key, actor, lambda: self._deleted(key, uid, policy))

    def place(self, item: Json, actor: str = "somebody") -> Json:
        """Store *item* just as it is, whatever is there."""
        key = key_of(item)
        new = placed(item, self._objects.get(key), next(self._versions), self.clock.stamp())
        return self._record("place", key, actor, lambda: self._set(key, new))

    def remove(self, key: Key, actor: str) -> None:
        """Remove an object at once, finalizers or not."""
        self._record("delete", key, actor, lambda: self._set(key, None))

    def _record(self, verb: str, key: Key, actor: str, action: Callable[[], Json | None]) -> Json:
        """Do *action*, note it, tell the watchers, and return the object that is there now."""
        before = self._objects.get(key)
        try:
            action()
        except Refused as refusal:
            said = f"{refusal.reason}: {refusal}"
            self.history.add(Write(self.clock.now, actor, verb, key, before, before, said))
            raise
        write = Write(self.clock.now, actor, verb, key, before, self._objects.get(key))
        self.history.add(write)
        if write.changed:
            for watcher in self._watchers:
                watcher(write)
        return write.after or {}

    def _live(self, key: Key) -> Json:
        if key not in self._objects:
            raise Refused("NotFound", f"{key.kind} {key.name} not found")
        return self._objects[key]

    def _set(self, key: Key, item: Json | None) -> Json | None:
        if item is None:
            self._objects.pop(key, None)
            self._owners.pop(key, None)
        else:
            self._objects[key] = item
        return item

    def _created(self, key: Key, item: Json, number: int, actor: str) -> Json | None:
        made = self._made(key, item, number)
        self._owned(key, self._owners_of(key).after_update(None, self._live(key), actor))
        return made

    def _made(self, key: Key, item: Json, number: int) -> Json | None:
        if not key.name:
            raise Refused("Invalid", "metadata.name: Required value: name or generateName is required")
        if key in self._objects:
            raise Refused("AlreadyExists", f"{key.kind} {key.name} already exists")
        clean = stored(self._admitted(item, None))
        check(clean, None)
        return self._set(key, born(clean, key, number, self.clock.stamp()))

    def _updated(self, key: Key, item: Json, actor: str) -> Json | None:
        live = self._live(key)
        if item["metadata"].get("resourceVersion") not in (None, live["metadata"]["resourceVersion"]):
            raise Refused("Conflict", "the object has been modified; apply your changes to the latest version")
        status = {"status": live["status"]} if "status" in live else {}
        body = {name: value for name, value in item.items() if name != "status"}
        self._replaced(key, {**self._admitted(body, live), **status})
        if key in self._objects:
            self._owned(key, self._owners_of(key).after_update(live, self._objects[key], actor))
        return None

    def _merged(self, key: Key, item: Json) -> Json | None:
        live = self._objects.get(key)
        if live is None:
            self._made(key, item, next(self._versions))
        else:
            check_owner(item, live)
            merged = self._owners_of(key).merged(live, item)
            self._replaced(key, self._admitted(merged, live))
        if key in self._objects:
            self._owned(key, self._owners_of(key).after_apply(item, self._objects[key]))
            self._noticed(key, live)
        return None

    def _noticed(self, key: Key, before: Json | None) -> None:
        """Give the object another version if nothing but who owns its fields has changed."""
        now = self._objects[key]["metadata"]
        then = before["metadata"] if before else {}
        if now["resourceVersion"] == then.get("resourceVersion") and now["managedFields"] != then.get("managedFields"):
            self._set(key, with_metadata(self._objects[key], resourceVersion=str(next(self._versions))))

    def _told(self, key: Key, status: Json) -> Json | None:
        live = self._live(key)
        seen = text(live.get("status") or {})
        if text(status) == seen:
            return live
        check_status(status)
        new = stored_status(key.kind, status)
        if text(new) == seen:
            return live
        return self._set(key, with_metadata({**live, "status": new}, resourceVersion=str(next(self._versions))))

    def _owners_of(self, key: Key) -> Ownership:
        return self._owners.get(key, Ownership())

    def _owned(self, key: Key, owners: Ownership) -> None:
        """Remember who owns what, and tell it, as the API server does in ``managedFields``."""
        self._owners[key] = owners
        managed = owners.managed_fields()
        if managed is not None:
            self._objects[key] = with_metadata(self._objects[key], managedFields=managed)

    def _replaced(self, key: Key, item: Json) -> Json | None:
        """Store *item* in place of what is there, unless it is the same."""
        live, new = self._live(key), stored(item)
        check(new, live)
        new = with_metadata(new, **{name: live["metadata"].get(name) for name in SYSTEM})
        finished = live["metadata"].get("finalizers") and not new["metadata"].get("finalizers")
        if deleting(new) and finished and key.kind != "Pod":
            return self._set(key, None)
        if text(new) == text(live):
            return live
        generation = {"generation": live["metadata"]["generation"] + 1} if moved(new, live) else {}
        return self._set(key, with_metadata(new, **generation, resourceVersion=str(next(self._versions))))

    def _deleted(self, key: Key, uid: str | None, policy: str) -> Json | None:
        live = self._live(key)
        if uid not in (None, live["metadata"]["uid"]):
            raise Refused("Conflict", "the object is another one of the same name")
        finalizer = FINALIZERS.get(policy)
        finalizers = [*live["metadata"].get("finalizers", []), *([finalizer] if finalizer else [])]
        if deleting(live):
            return live
        if not finalizers and key.kind != "Pod":
            return self._set(key, None)
        marked = with_metadata(live, finalizers=finalizers or None, deletionTimestamp=self.clock.stamp())
        generation = {"generation": live["metadata"]["generation"] + 1} if "generation" in live["metadata"] else {}
        return self._set(key, with_metadata(marked, **generation, resourceVersion=str(next(self._versions))))

    def _admitted(self, item: Json, live: Json | None) -> Json:
        for admit in self.admission:
            item = admit(copied(item), live)
        return item
