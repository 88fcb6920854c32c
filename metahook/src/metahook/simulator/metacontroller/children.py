"""Manages children: finds those of a parent, deletes what the response does not list, creates or updates the rest.

Claims adopt orphans with the parent's labels, and release children without them. A finalizer delays the deletion of a
parent until its finalize hook is done. A child becomes what the response desires by one of two apply strategies;
``--apply-strategy`` chooses. Dynamic-apply is a three-way merge on the client, which guesses the merge key of a list;
an annotation of the child records the last applied object.

Source: Metacontroller 4.17, pkg/controller/common: manage_children.go, controllerref, finalizer; pkg/dynamic/apply.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from msgspec import Struct

from metahook.protocol.installation import UpdateMethod
from metahook.protocol.objects import MERGE_KEYS, Kind, object_or_empty
from metahook.protocol.observed import LAST_APPLIED
from metahook.protocol.request_builder import controller_of
from metahook.simulator.apiserver.built_in_kinds import check_object
from metahook.simulator.apiserver.store import FINALIZERS, ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.metacontroller.cache import Cache
from metahook.simulator.metacontroller.settings import LABEL, Mode, Selects, Settings
from metahook.simulator.objects import Json, Key, is_deleting, key_of, labels, reference_to, to_json, with_metadata

NAME = "metacontroller"


def with_parents_namespace(child: Json, parent: Json) -> Json:
    """Return *child* with the namespace of *parent*, unless it sets its own."""
    namespace = child["metadata"].get("namespace") or parent["metadata"].get("namespace")
    return with_metadata(child, namespace=namespace)


def with_parent_label(child: Json, parent: Json) -> Json:
    """Return *child* with the label of *parent*, unless it sets its own."""
    return with_metadata(child, labels={LABEL: parent["metadata"]["uid"], **labels(child)})


def with_owner_reference(child: Json, parent: Json) -> Json:
    """Return *child* with an owner reference to *parent*, unless it already has one."""
    owners = child["metadata"].get("ownerReferences") or []
    if any(owner["uid"] == parent["metadata"]["uid"] for owner in owners):
        return child
    return with_metadata(child, ownerReferences=[*owners, reference_to(parent)])


def claim(parent: Json, found: Iterable[Json], api: ApiServer, selects: Selects) -> Iterator[Json]:
    """Yield the children of *parent* among the cached objects *found*, unchanged; raise ApiError."""
    uid = parent["metadata"]["uid"]
    for item in found:
        owner = controller_of(item)
        if owner not in (None, uid):
            continue
        is_selected = selects(item)
        if owner == uid and (is_selected or is_deleting(parent)):
            if is_selected:
                yield item
        elif owner == uid:
            _edit(api, item, lambda live: with_metadata(live, ownerReferences=_others(live, uid) or None))
        elif is_selected and not is_deleting(parent) and not is_deleting(item) and _adopt(api, item, parent):
            yield item


def _adopt(api: ApiServer, item: Json, parent: Json) -> bool:
    live = api.get(key_of(parent))
    if live is None or live["metadata"]["uid"] != parent["metadata"]["uid"] or is_deleting(live):
        return False
    return _edit(api, item, lambda found: with_owner_reference(found, parent))


def _others(item: Json, uid: str) -> list[Json]:
    return [owner for owner in item["metadata"].get("ownerReferences", []) if owner["uid"] != uid]


def _edit(api: ApiServer, item: Json, change: Callable[[Json], Json]) -> bool:
    """Edit the live object of the cached *item*; return whether it still exists; raise ApiError."""
    live = api.get(key_of(item))
    if live is None or live["metadata"]["uid"] != item["metadata"]["uid"]:
        return False
    api.update(change(live), NAME)
    return True


class Finalizer(NamedTuple):
    """The finalizer called *name*; it is *enabled* if the controller has a finalize hook."""

    name: str
    enabled: bool

    def is_on(self, parent: Json) -> bool:
        return self.name in (parent["metadata"].get("finalizers") or ())

    def synced(self, parent: Json, api: ApiServer) -> Json:
        """Return *parent* with or without the finalizer, as it should be, and store that; raise ApiError."""
        if self.is_on(parent) == self.enabled or (self.enabled and is_deleting(parent)):
            return parent
        return self._put(parent, api) if self.enabled else self.removed(parent, api)

    def removed(self, parent: Json, api: ApiServer) -> Json:
        """Remove the finalizer from the live object of *parent*, and return that; raise ApiError."""
        live = _live(parent, api)
        if not self.is_on(live):
            return live
        left = without_finalizer(live, self.name)
        return api.update(left, NAME) or left  # without its last finalizer, a deleted object is gone

    def _put(self, parent: Json, api: ApiServer) -> Json:
        live = _live(parent, api)
        if self.is_on(live):
            return live
        return api.update(with_metadata(live, finalizers=[*live["metadata"].get("finalizers", []), self.name]), NAME)

    def manages_children_of(self, parent: Json) -> bool:
        """Tell whether the children of *parent* are managed, although the parent may be deleting."""
        finalizers = parent["metadata"].get("finalizers") or ()
        fights_garbage_collection = any(name in finalizers for name in FINALIZERS.values())
        return not is_deleting(parent) or (self.enabled and self.is_on(parent) and not fights_garbage_collection)


def without_finalizer(item: Json, name: str) -> Json:
    left = [other for other in item["metadata"].get("finalizers") or () if other != name]
    return with_metadata(item, finalizers=left or None)


def _live(parent: Json, api: ApiServer) -> Json:
    """Return the live object of the cached *parent*; raise ApiError if it was deleted or replaced."""
    live = api.get(key_of(parent))
    if live is None or live["metadata"]["uid"] != parent["metadata"]["uid"]:
        raise ApiError("NotFound", f"can't sync the finalizer: {key_of(parent)} not found")
    return live


SYSTEM = (
    "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp",
    "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields",
)  # fmt: skip


def merge(observed: Any, last: Any, desired: Any) -> Any:
    if isinstance(observed, dict):
        return _merge_objects(observed, object_or_empty(last), object_or_empty(desired))
    if isinstance(observed, list):
        return _merge_lists(observed, _list(last), _list(desired))
    return desired


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _merge_objects(observed: Json, last: Json, desired: Json) -> Json:
    kept = {key: value for key, value in observed.items() if key not in last or key in desired}
    return {**kept, **{key: merge(observed.get(key), last.get(key), value) for key, value in desired.items()}}


def _merge_lists(observed: list[Any], last: list[Any], desired: list[Any]) -> list[Any]:
    key = _common_key([*observed, *last, *desired])
    if key is None:
        return desired
    merged = _merge_objects(*({str(item[key]): item for item in items} for items in (observed, last, desired)))
    existing = [str(item[key]) for item in observed]
    new = dict.fromkeys(str(item[key]) for item in desired if str(item[key]) not in existing)
    return [merged[name] for name in [*existing, *new] if name in merged]


def _common_key(items: list[Any]) -> str | None:
    """Return the first of the known merge keys that all *items* have."""
    if not items or not all(isinstance(item, dict) for item in items):
        return None
    return next((key for key in MERGE_KEYS if all(key in item for item in items)), None)


def with_last_applied(child: Json, applied: Json) -> Json:
    metadata = child["metadata"]
    annotations = {**(metadata.get("annotations") or {}), LAST_APPLIED: to_json(applied)}
    return {**child, "metadata": {**metadata, "annotations": annotations}}


def _last_applied(observed: Json) -> Json:
    """Return the last applied object of *observed*; raise ApiError if the annotation is not valid."""
    record = (observed["metadata"].get("annotations") or {}).get(LAST_APPLIED)
    return _recorded(record) if record else {}


@lru_cache  # most children are as at the previous sync
def _recorded(record: str) -> Json:
    """Return the object in *record*, to be treated as read-only; raise ApiError if it is not valid."""
    try:
        found = json.loads(record)
    except (ValueError, RecursionError):
        found = ()
    if not isinstance(found, dict | None):
        raise ApiError("Invalid", f"the annotation {LAST_APPLIED} is not valid; remove it")
    return found or {}


def merged_child(observed: Json, desired: Json) -> Json:
    """Return the update that Metacontroller sends to turn the child *observed* into *desired*; raise ApiError."""
    merged = merge(observed, _last_applied(observed), desired)
    metadata = {key: value for key, value in merged["metadata"].items() if key not in SYSTEM}
    system = {key: value for key, value in observed["metadata"].items() if key in SYSTEM}
    status = {"status": observed["status"]} if "status" in observed else {}
    body = {key: value for key, value in merged.items() if key != "status"}
    return with_last_applied({**body, **status, "metadata": {**metadata, **system}}, desired)


class Apply(Protocol):
    def __call__(self, child: Json, observed: Json | None, parent: Json, method: UpdateMethod = "InPlace") -> None:
        """Update *observed* to *child* by *method*, or create the object if *observed* is None; raise ApiError."""


def applier(mode: Mode, api: ApiServer) -> Apply:
    return DynamicApply(api) if mode == "dynamic-apply" else ServerSideApply(api)


class DynamicApply:
    """A three-way merge on the client with the last applied annotation. A create of an existing object is ignored."""

    def __init__(self, api: ApiServer) -> None:
        self._api = api

    def __call__(self, child: Json, observed: Json | None, parent: Json, method: UpdateMethod = "InPlace") -> None:
        """Send a POST, a PUT, a DELETE, or nothing if the merge equals the observed object."""
        if observed is None:
            self._create(with_owner_reference(with_last_applied(child, child), parent))
            return
        new = merged_child(observed, child)
        if to_json(new) == to_json(observed) or method == "OnDelete":
            return
        if method == "Recreate":
            _delete_for_update(self._api, observed)
        else:
            self._put(new)

    def _create(self, child: Json) -> None:
        try:
            self._api.create(child, NAME)
        except ApiError as refusal:
            if refusal.reason != "AlreadyExists":
                raise

    def _put(self, child: Json) -> None:
        try:
            self._api.update(child, NAME)
        except ApiError as refusal:
            if refusal.reason not in ("Conflict", "NotFound"):
                raise


class ServerSideApply:
    """A forced apply, skipped if neither the desired child nor the generation of the observed one changed."""

    def __init__(self, api: ApiServer) -> None:
        self._api = api
        self._sent: dict[Key, tuple[str, str, str]] = {}

    def __call__(self, child: Json, observed: Json | None, parent: Json, method: UpdateMethod = "InPlace") -> None:
        """Send a PATCH, a DELETE, or nothing."""
        desired = with_owner_reference(_clean(child), parent)
        key, sent = key_of(desired), to_json(desired)
        if observed is not None:
            if self._sent.get(key) == (sent, *_version(observed)):
                return
            if method == "OnDelete":
                self._sent[key] = (sent, *_version(observed))
                return
            if method == "Recreate":
                self._recreate(desired, observed, key)
                return
            if LAST_APPLIED in (observed["metadata"].get("annotations") or {}):
                self._remove_last_applied(key)
        self._sent[key] = (sent, *_version(self._api.apply(desired, NAME)))

    def _recreate(self, desired: Json, observed: Json, key: Key) -> None:
        """Delete *observed*, if a dry run shows that the apply would change it; raise ApiError."""
        try:
            applied = self._api.apply(desired, NAME, dry_run=True)
        except ApiError as refusal:
            if refusal.reason not in ("BadRequest", "Forbidden"):
                raise
            applied = observed
        if observed["metadata"].get("generation") != applied["metadata"].get("generation"):
            # Also a dry run increments the generation, so a kind that has one is never recreated.
            raise ApiError("Conflict", "generation or UID changed during dry run for server-side apply")
        if to_json(_compared(applied)) == to_json(_compared(observed)):
            self._sent[key] = (to_json(desired), *_version(observed))
            return
        _delete_for_update(self._api, observed)
        self._sent.pop(key, None)

    def _remove_last_applied(self, key: Key) -> None:
        """Remove the annotation that dynamic-apply left, if Metacontroller ran with that before."""
        if self._api.get(key) is not None:
            self._api.patch(key, _without_last_applied, NAME)


def _delete_for_update(api: ApiServer, observed: Json) -> None:
    """Delete *observed*, which the next sync creates again; raise ApiError."""
    try:
        api.delete(key_of(observed), NAME, uid=observed["metadata"]["uid"])
    except ApiError as refusal:
        if refusal.reason != "NotFound":
            raise


def _compared(item: Json) -> Json:
    """Return *item* without the fields that don't count as a change."""
    body = {name: value for name, value in _without_last_applied(item).items() if name != "status"}
    return with_metadata(body, **dict.fromkeys(SYSTEM))


def _without_last_applied(item: Json) -> Json:
    annotations = item["metadata"].get("annotations") or {}
    return with_metadata(item, annotations={name: value for name, value in annotations.items() if name != LAST_APPLIED})


def _clean(child: Json) -> Json:
    """Return *child* without the fields that an apply never sends."""
    if not child["metadata"].get("name"):
        raise ApiError("Invalid", "name is required")
    body = {name: value for name, value in child.items() if name != "status"}
    return with_metadata(body, **dict.fromkeys(SYSTEM))


def _version(item: Json) -> tuple[str, str]:
    """Return the uid of *item*, and its generation or, if it has none, its resourceVersion."""
    metadata = item["metadata"]
    return metadata["uid"], str(metadata.get("generation") or metadata["resourceVersion"])


Identity = tuple[str, Key]
"""The API version and the key: a child of another API version is another child."""


class ChildWriter(NamedTuple):
    """How children are written: the API server, the controller's settings, and the apply strategy."""

    api: ApiServer
    settings: Settings
    apply: Apply


class ParentManager(Struct, frozen=True):
    """What manages a parent and its children; a subclass is for a kind of controller."""

    cache: Cache
    finalizer: Finalizer
    writer: ChildWriter

    def cached_children(self, namespace: str | None) -> Iterator[Json]:
        """Yield the objects of all kinds of children, in *namespace* or in all, whoever owns them."""
        for kind in self.writer.settings.children:
            found = self.cache.all(kind.kind, namespace)
            yield from (item for item in found if item["apiVersion"] == kind.api_version)


def manage_children(parent: Json, observed: Iterable[Json], desired: Iterable[Json], writer: ChildWriter) -> list[str]:
    """Turn the children *observed* into those *desired*; return the errors. One that fails does not stop the others."""
    observed_by_identity = {(item["apiVersion"], key_of(item)): item for item in observed}
    desired_by_identity = {_identity(item): item for item in desired}
    errors = [
        _delete(key[1], item, writer.api)
        for key, item in observed_by_identity.items()
        if key not in desired_by_identity and not is_deleting(item)
    ]
    for key, item in sorted(desired_by_identity.items(), key=lambda pair: (pair[0][0].rpartition("/"), pair[0][1])):
        if not is_deleting(observed_by_identity.get(key, item)):
            errors.append(_apply(item, observed_by_identity.get(key), parent, writer))
    return [error for error in errors if error is not None]


def _identity(item: Json) -> Identity:
    metadata, version = item["metadata"], item.get("apiVersion")
    key = Key(item["kind"], metadata.get("namespace") or "", metadata.get("name") or "")
    return version if isinstance(version, str) else "", key


def _delete(key: Key, item: Json, api: ApiServer) -> str | None:
    try:
        api.delete(key, NAME, uid=item["metadata"]["uid"])
    except ApiError as refusal:
        return None if refusal.reason in ("NotFound", "Conflict") else f"can't delete {key}: {refusal}"
    return None


def _apply(item: Json, observed: Json | None, parent: Json, writer: ChildWriter) -> str | None:
    kind = _kind_of(item, writer.settings)
    if kind is None:
        return f"discovery: can't find kind {item['kind']} in apiVersion {item.get('apiVersion')}"
    try:
        check_object(item)
        if kind.namespaced and observed is None:
            _check_namespace(item["metadata"].get("namespace"), writer.api)
        placed = item if kind.namespaced else with_metadata(item, namespace=None)
        writer.apply(placed, observed, parent, writer.settings.update_method(kind))
    except ApiError as refusal:
        return f"can't apply {item['kind']} {item['metadata'].get('name', '')}: {refusal}"
    return None


def _check_namespace(namespace: str | None, api: ApiServer) -> None:
    """Raise ApiError if nothing can be created in *namespace*."""
    if not namespace:
        raise ApiError("MethodNotAllowed", "the server does not allow this method on the requested resource")
    if not api.has_namespace(namespace):
        raise ApiError("NotFound", f'namespaces "{namespace}" not found')


def _kind_of(item: Json, settings: Settings) -> Kind | None:
    version = item.get("apiVersion")
    return settings.kind(version, item["kind"]) if isinstance(version, str) else None
