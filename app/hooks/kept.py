"""Keeps a child as it is: finds out what was applied to it last, so that answering with it changes nothing.

Under dynamic-apply Metacontroller records that in an annotation. Under server-side apply the API server does, in
``managedFields``: the entry of operation Apply that owns the parent's owner reference names our fields, the object has
their values. The items of a list stay in the observed object's order: the record's order is sorted, and following it
would reorder ports and restart Pods. Source: Kubernetes, "Server-Side Apply", FieldsV1.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from app.hooks.objects import Observed

Json = dict[str, Any]
V = TypeVar("V")

_LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"
_CONTROLLER_UID = "controller-uid"


class _Metadata(Observed, frozen=True):
    name: str
    annotations: dict[str, str] | None = None
    managed_fields: list[Json] | None = None


class _Recorded(Observed, frozen=True):
    api_version: str
    kind: str
    metadata: _Metadata


def kept(raw: msgspec.Raw, owner_uid: str) -> Json:
    """Return what was last applied to the child *raw* of the parent *owner_uid*.

    With no record that is ``{apiVersion, kind, metadata: {name}}``, which removes nothing either.
    """
    child = msgspec.json.decode(raw, type=_Recorded)
    record = _from_annotation(child) or _from_managed_fields(child, raw, owner_uid)
    metadata = {key: value for key, value in _map(record.get("metadata")).items() if key in ("labels", "annotations")}
    labels = {key: value for key, value in _map(metadata.pop("labels", None)).items() if key != _CONTROLLER_UID}
    return {
        **{key: _without_nulls(value) for key, value in record.items() if key != "status"},
        "apiVersion": child.api_version,
        "kind": child.kind,
        "metadata": {"name": child.metadata.name, **metadata, **({"labels": labels} if labels else {})},
    }


def _without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_nulls(inner) for inner in value if inner is not None]
    return value


def _map(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _from_annotation(child: _Recorded) -> Json:
    text = (child.metadata.annotations or {}).get(_LAST_APPLIED, "")
    return _attempt(lambda: msgspec.json.decode(text, type=Json), {})


def _from_managed_fields(child: _Recorded, raw: msgspec.Raw, owner_uid: str) -> Json:
    return next(
        (
            _map(_pick(entry["fieldsV1"], msgspec.json.decode(raw)))
            for entry in child.metadata.managed_fields or []
            if entry.get("operation") == "Apply" and _owns_reference(entry, owner_uid)
        ),
        {},
    )


def _owns_reference(entry: Json, owner_uid: str) -> bool:
    owners = _map(_map(_map(entry.get("fieldsV1")).get("f:metadata")).get("f:ownerReferences"))
    return any(_key(field) == {"uid": owner_uid} for field in owners)


def _pick(fields: Json, value: object) -> object:
    """Return the part of *value* that *fields* (FieldsV1) names."""
    inner = {field: sub for field, sub in fields.items() if field != "."}
    if not inner:
        return value
    if isinstance(value, dict):
        named = ((field.removeprefix("f:"), _map(sub)) for field, sub in inner.items())
        return {name: _pick(sub, value[name]) for name, sub in named if name in value}
    if isinstance(value, list):
        picks = [(_selects(field), _map(sub)) for field, sub in inner.items()]
        return [_pick(sub, item) for item in value for selects, sub in picks if selects(item)]
    return value


def _selects(field: str) -> Callable[[Any], bool]:
    """Return the test for the item that *field* names: ``k:{"name":"main"}`` or ``v:"value"``."""
    key = _key(field)
    if key is not None:
        return lambda item: isinstance(item, dict) and all(item.get(name) == value for name, value in key.items())
    literal = _attempt(lambda: msgspec.json.decode(field.removeprefix("v:")), None)
    return lambda item: bool(item == literal)


def _key(field: str) -> Json | None:
    if not field.startswith("k:"):
        return None
    return _attempt(lambda: msgspec.json.decode(field.removeprefix("k:"), type=Json), None)


def _attempt(read: Callable[[], V], otherwise: V) -> V:
    """Return what *read* reads, or *otherwise*: a record that can't be read is no record."""
    try:
        return read()
    except msgspec.DecodeError:
        return otherwise
