"""The store of the API server: objects with versions and generations, watches, and a record of every write."""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable

from metahook.simulator.apiserver import server_side_apply
from metahook.simulator.apiserver.built_in_kinds import check_status, undeclared_field
from metahook.simulator.apiserver.server_side_apply import Ownership
from metahook.simulator.apiserver.stored_object import (
    SYSTEM,
    normalized,
    stored_object,
    stored_status,
    with_generated_name,
    with_placed_metadata,
    with_system_metadata,
)
from metahook.simulator.apiserver.validation import ApiError, check, check_owner, is_new_generation
from metahook.simulator.clock import Clock
from metahook.simulator.history import History, Write
from metahook.simulator.objects import Json, Key, copy_json, is_deleting, key_of, to_json, with_metadata

NAMESPACE = "Namespace"
"""The kind of namespaces."""

Watcher = Callable[[Write], None]
Admission = Callable[[Json, Json | None], Json]
"""Returns the object to store, given the new and the live one; raises ApiError. A mutating or validating webhook."""
StatusAdmission = Callable[[Json, Json], Json]
"""Returns the status to store, given the live object and its new status; raises ApiError."""

FINALIZERS = {"foreground": "foregroundDeletion", "orphan": "orphan"}
"""The finalizers of deletion policies other than background; the garbage collector handles them."""


class ApiServer:
    """Objects by key. They are shared without copies: treat what you pass in and get back as read-only.

    Objects of the kinds *cluster_scoped* have no namespace. Others are in ``default`` unless they say another one.
    """

    def __init__(self, clock: Clock, history: History, cluster_scoped: Iterable[str] = ()) -> None:
        self.clock = clock
        self.history = history
        self._cluster_scoped = frozenset(cluster_scoped)
        self._namespaces = {"", "default"}
        self.admission: list[Admission] = []
        self.status_admission: list[StatusAdmission] = []
        self._watchers: list[Watcher] = []
        self._objects: dict[Key, Json] = {}
        self._owners: defaultdict[Key, Ownership] = defaultdict(Ownership)
        self._versions = itertools.count(1)

    def watch(self, watcher: Watcher) -> None:
        """Call *watcher* with every change from now on, immediately."""
        self._watchers.append(watcher)

    def get(self, key: Key) -> Json | None:
        """Return an object, or None."""
        return self._objects.get(key)

    def all(self, kind: str) -> list[Json]:
        """Return all objects of *kind*."""
        return [item for key, item in self._objects.items() if key.kind == kind]

    def is_namespaced(self, kind: str) -> bool:
        """Tell whether objects of *kind* are in namespaces."""
        return kind not in self._cluster_scoped

    def placed(self, item: Json) -> Json:
        """Return *item* with the namespace that a client sends with it, or without one if it is cluster-scoped."""
        namespace = item["metadata"].get("namespace")
        if item.get("kind") in self._cluster_scoped:
            return item if namespace is None else with_metadata(item, namespace=None)
        return item if namespace else with_metadata(item, namespace="default")

    def has_namespace(self, name: str) -> bool:
        """Tell whether the namespace *name* exists: it was created, or something was created in it."""
        return name in self._namespaces

    def all_keys(self) -> list[Key]:
        """Return the keys of all objects."""
        return list(self._objects)

    def create(self, item: Json, actor: str) -> Json:
        """Store a new object and return it; raise ApiError."""
        number = next(self._versions)
        item = self.placed(with_generated_name(normalized(item), number))
        key = key_of(item)
        return self._record("create", key, actor, lambda: self._create(key, item, number, actor))

    def update(self, item: Json, actor: str) -> Json:
        """Store *item* except for its status, and return the stored object; raise ApiError."""
        item = self.placed(normalized(item))
        key = key_of(item)
        return self._record("update", key, actor, lambda: self._update(key, item, actor))

    def patch(self, key: Key, change: Callable[[Json], Json], actor: str) -> Json:
        """Store what *change* makes of the live object, and return the stored object; raise ApiError."""
        return self._record("patch", key, actor, lambda: self._update(key, change(self._live(key)), actor))

    def apply(self, item: Json, actor: str, *, dry_run: bool = False) -> Json:
        """Apply *item* server-side, by force, and return the result; raise ApiError. A dry run stores nothing."""
        item = self.placed(normalized(item))
        key = key_of(item)

        def act() -> Json | None:
            return self._apply(key, _declared(server_side_apply.read_as_yaml(item)))

        return self._tried(key, act) if dry_run else self._record("apply", key, actor, act)

    def update_status(self, item: Json, actor: str) -> Json:
        """Store only the status of *item*, and return the stored object; raise ApiError."""
        key = key_of(item)
        return self._record("update status", key, actor, lambda: self._update_status(key, item["status"]))

    def delete(self, key: Key, actor: str, *, uid: str | None = None, policy: str = "background") -> None:
        """Delete an object: at once, or when it has no finalizers left; a Pod gracefully. Raise ApiError."""
        self._record("delete", key, actor, lambda: self._delete(key, uid, policy))

    def place(self, item: Json, actor: str = "restore") -> Json:
        """Store *item* unchecked, as a restore of a backup does."""
        item = self.placed(item)
        key = key_of(item)
        new = with_placed_metadata(item, self._objects.get(key), next(self._versions), self.clock.stamp())
        return self._record("place", key, actor, lambda: self._set(key, new))

    def remove(self, key: Key, actor: str) -> None:
        """Remove an object at once, even with finalizers."""
        self._record("delete", key, actor, lambda: self._set(key, None))

    def _record(self, verb: str, key: Key, actor: str, action: Callable[[], object]) -> Json:
        """Run *action*, record it, notify the watchers, and return the live object."""
        before = self._objects.get(key)
        try:
            action()
        except ApiError as refusal:
            self.history.add(Write(self.clock.now, actor, verb, key, before, before, f"{refusal.reason}: {refusal}"))
            raise
        write = Write(self.clock.now, actor, verb, key, before, self._objects.get(key))
        self.history.add(write)
        if write.changed:
            for watcher in self._watchers:
                watcher(write)
        return write.after or {}

    def _tried(self, key: Key, action: Callable[[], object]) -> Json:
        """Run *action*, undo it, and return the object that it stored."""
        before, owners = self._objects.get(key), self._owners[key]
        try:
            action()
            return self._objects.get(key) or {}
        finally:
            self._set(key, before)
            self._owners[key] = owners

    def _live(self, key: Key) -> Json:
        if key not in self._objects:
            raise ApiError("NotFound", f"{key.kind} {key.name} not found")
        return self._objects[key]

    def _set(self, key: Key, item: Json | None) -> Json | None:
        if item is None:
            self._objects.pop(key, None)
            self._owners.pop(key, None)
            if key.kind == NAMESPACE:
                self._namespaces.discard(key.name)
        else:
            self._objects[key] = item
            self._namespaces.add(key.name if key.kind == NAMESPACE else key.namespace)
        return item

    def _create(self, key: Key, item: Json, number: int, actor: str) -> None:
        self._insert(key, item, number)
        self._set_owners(key, self._owners[key].after_update(None, self._live(key), actor))

    def _insert(self, key: Key, item: Json, number: int) -> Json | None:
        if not key.name:
            raise ApiError("Invalid", "metadata.name: Required value: name or generateName is required")
        if key in self._objects:
            raise ApiError("AlreadyExists", f"{key.kind} {key.name} already exists")
        clean = stored_object(self._admit(item, None))
        check(clean, None)
        return self._set(key, with_system_metadata(clean, key, number, self.clock.stamp()))

    def _update(self, key: Key, item: Json, actor: str) -> Json | None:
        live = self._live(key)
        if item["metadata"].get("resourceVersion") not in (None, live["metadata"]["resourceVersion"]):
            raise ApiError("Conflict", "the object has been modified; apply your changes to the latest version")
        status = {"status": live["status"]} if "status" in live else {}
        body = {name: value for name, value in item.items() if name != "status"}
        self._replace(key, {**self._admit(body, live), **status})
        if key in self._objects:
            self._set_owners(key, self._owners[key].after_update(live, self._objects[key], actor))
        return None

    def _apply(self, key: Key, item: Json) -> Json | None:
        live = self._objects.get(key)
        if live is None:
            self._insert(key, item, next(self._versions))
        else:
            check_owner(item, live)
            merged = self._owners[key].merged(live, item)
            self._replace(key, self._admit(merged, live))
        if key in self._objects:
            self._set_owners(key, self._owners[key].after_apply(item, self._objects[key]))
            self._increment_version(key, live)
        return None

    def _increment_version(self, key: Key, before: Json | None) -> None:
        """Set a new version if nothing but the ownership of fields has changed."""
        now = self._objects[key]["metadata"]
        then = before["metadata"] if before else {}
        if now["resourceVersion"] == then.get("resourceVersion") and now["managedFields"] != then.get("managedFields"):
            self._set(key, with_metadata(self._objects[key], resourceVersion=str(next(self._versions))))

    def _update_status(self, key: Key, status: Json) -> Json | None:
        live = self._live(key)
        old = to_json(live.get("status") or {})
        if to_json(status) != old:
            check_status(status)
            status = stored_status(key.kind, status)
            for admit in self.status_admission:
                status = admit(live, status)
        if to_json(status) == old:
            return live
        return self._set(key, with_metadata({**live, "status": status}, resourceVersion=str(next(self._versions))))

    def _set_owners(self, key: Key, owners: Ownership) -> None:
        """Keep the *owners* of the object's fields, and write them to its ``managedFields``."""
        self._owners[key] = owners
        managed = owners.managed_fields()
        if managed is not None:
            self._objects[key] = with_metadata(self._objects[key], managedFields=managed)

    def _replace(self, key: Key, item: Json) -> Json | None:
        """Store *item* in place of the live object, unless both are equal."""
        live, new = self._live(key), stored_object(item)
        check(new, live)
        new = with_metadata(new, **{name: live["metadata"].get(name) for name in SYSTEM})
        is_finalized = live["metadata"].get("finalizers") and not new["metadata"].get("finalizers")
        if is_deleting(new) and is_finalized and key.kind != "Pod":
            return self._set(key, None)
        if to_json(new) == to_json(live):
            return live
        generation = {"generation": live["metadata"]["generation"] + 1} if is_new_generation(new, live) else {}
        return self._set(key, with_metadata(new, **generation, resourceVersion=str(next(self._versions))))

    def _delete(self, key: Key, uid: str | None, policy: str) -> Json | None:
        live = self._live(key)
        if uid not in (None, live["metadata"]["uid"]):
            raise ApiError("Conflict", "the object has another uid")
        finalizer = FINALIZERS.get(policy)
        finalizers = [*live["metadata"].get("finalizers", []), *([finalizer] if finalizer else [])]
        if is_deleting(live):
            return live
        if not finalizers and key.kind != "Pod":
            return self._set(key, None)
        deleted = with_metadata(live, finalizers=finalizers or None, deletionTimestamp=self.clock.stamp())
        generation = {"generation": live["metadata"]["generation"] + 1} if "generation" in live["metadata"] else {}
        return self._set(key, with_metadata(deleted, **generation, resourceVersion=str(next(self._versions))))

    def _admit(self, item: Json, live: Json | None) -> Json:
        for admit in self.admission:
            item = admit(copy_json(item), live)
        return item


def _declared(item: Json) -> Json:
    """Return *item*, which is applied server-side; raise ApiError if its kind does not declare one of its fields."""
    path = undeclared_field(item)
    if path is not None:
        raise ApiError("InternalError", f"failed to create typed patch object: {path}: field not declared in schema")
    return item
