"""Manages children: deletes those that the response does not list, creates or updates those that it lists.

A child becomes what the response desires by one of two apply strategies; ``--apply-strategy`` chooses.

Source: Metacontroller 4.17, pkg/controller/common/manage_children.go.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from metahook.protocol.installation import UpdateMethod
from metahook.protocol.objects import Kind
from metahook.protocol.observed import LAST_APPLIED
from metahook.simulator.apiserver.field_types import check_object
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.metacontroller.cache import Cache
from metahook.simulator.metacontroller.claims import NAME, with_owner_reference
from metahook.simulator.metacontroller.dynamic_apply import SYSTEM, merged_child, with_last_applied
from metahook.simulator.metacontroller.finalizer import Finalizer
from metahook.simulator.metacontroller.settings import Mode, Settings
from metahook.simulator.objects import Json, Key, is_deleting, key_of, to_json, with_metadata


class Apply(Protocol):
    """An apply strategy."""

    def __call__(self, child: Json, observed: Json | None, parent: Json, method: UpdateMethod = "InPlace") -> None:
        """Update *observed* to *child* by *method*, or create the object if *observed* is None; raise ApiError."""


def applier(mode: Mode, api: ApiServer) -> Apply:
    """Return the apply strategy *mode*."""
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


@dataclass(frozen=True)
class ParentManager:
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
