"""Manages children: deletes those that the response does not list, creates or updates those that it lists.

A child becomes what the response desires by one of two apply strategies; ``--apply-strategy`` chooses.

Source: Metacontroller 4.17, pkg/controller/common/manage_children.go.
"""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from metahook.protocol.kind import Kind
from metahook.simulator.apiserver.field_types import check_object
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.metacontroller.claims import NAME, with_owner_reference
from metahook.simulator.metacontroller.dynamic_apply import LAST_APPLIED, SYSTEM, merged_child, with_last_applied
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json, Key, is_deleting, key_of, to_json, with_metadata


class Apply(Protocol):
    """An apply strategy."""

    def __call__(self, child: Json, observed: Json | None, parent: Json) -> None:
        """Update *observed* to *child*, or create the object if *observed* is None; raise ApiError."""


def applier(mode: Mode, api: ApiServer) -> Apply:
    """Return the apply strategy *mode*."""
    return DynamicApply(api) if mode == "dynamic-apply" else ServerSideApply(api)


class DynamicApply:
    """A three-way merge on the client with the last applied annotation. A create of an existing object is ignored."""

    def __init__(self, api: ApiServer) -> None:
        self._api = api

    def __call__(self, child: Json, observed: Json | None, parent: Json) -> None:
        """Send a POST, a PUT, or nothing if the merge equals the observed object."""
        if observed is None:
            self._create(with_owner_reference(with_last_applied(child, child), parent))
            return
        new = merged_child(observed, child)
        if to_json(new) != to_json(observed):
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

    def __call__(self, child: Json, observed: Json | None, parent: Json) -> None:
        """Send a PATCH, or nothing."""
        desired = with_owner_reference(_clean(child), parent)
        key = key_of(desired)
        if observed is not None:
            if self._sent.get(key) == (to_json(desired), *_version(observed)):
                return
            if LAST_APPLIED in (observed["metadata"].get("annotations") or {}):
                self._remove_last_applied(key)
        self._sent[key] = (to_json(desired), *_version(self._api.apply(desired, NAME)))

    def _remove_last_applied(self, key: Key) -> None:
        """Remove the annotation that dynamic-apply left, if Metacontroller ran with that before."""
        if self._api.get(key) is not None:
            self._api.patch(key, _without_last_applied, NAME)


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
    """How children are written: the API server, the kinds that it serves, the strategy, and the kinds never updated."""

    api: ApiServer
    served: frozenset[Kind]
    apply: Apply
    on_delete: tuple[Kind, ...]


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
    key = Key(item["kind"], metadata["namespace"], metadata.get("name") or "")
    return version if isinstance(version, str) else "", key


def _delete(key: Key, item: Json, api: ApiServer) -> str | None:
    try:
        api.delete(key, NAME, uid=item["metadata"]["uid"])
    except ApiError as refusal:
        return None if refusal.reason in ("NotFound", "Conflict") else f"can't delete {key}: {refusal}"
    return None


def _apply(item: Json, observed: Json | None, parent: Json, writer: ChildWriter) -> str | None:
    version = item.get("apiVersion")
    if not _is_among(writer.served, item):
        return f"discovery: can't find kind {item['kind']} in apiVersion {version}"
    if observed is not None and _is_among(writer.on_delete, item):
        return None
    try:
        check_object(item)
        writer.apply(item, observed, parent)
    except ApiError as refusal:
        return f"can't apply {item['kind']} {item['metadata'].get('name', '')}: {refusal}"
    return None


def _is_among(kinds: Iterable[Kind], item: Json) -> bool:
    return any((kind.api_version, kind.kind) == (item.get("apiVersion"), item["kind"]) for kind in kinds)
