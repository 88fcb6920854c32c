"""Keeps a child as it is: finds out what was applied to it last, so that answering with it changes nothing.

Under dynamic-apply Metacontroller records that in an annotation, and removes it when it begins to apply server-side.
From then on the API server records it, in ``managedFields``: the entry of operation Apply that owns the parent's owner
reference names our fields, the object has their values. The items of a list stay in the observed object's order: the
record's order is sorted, and following it would reorder ports and restart Pods.
Source: Kubernetes, "Server-Side Apply", FieldsV1.

A record is read leniently: one that can't be read is no record.
"""

from typing import Any

import msgspec

from metahook.protocol.objects import Object

Json = dict[str, Any]

LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"
_CONTROLLER_UID = "controller-uid"


def kept(seen: Object, raw: msgspec.Raw, owner_uid: str) -> Json:
    """Return what was last applied to the child *seen*, whose JSON is *raw*, for the parent *owner_uid*.

    With no record that is ``{apiVersion, kind, metadata: {name}}``, which removes nothing either.
    """
    record = _record(_object(_parsed(raw)), owner_uid)
    return {
        **{field: value for field, value in record.items() if field != "status"},
        "apiVersion": seen.KIND.api_version,
        "kind": seen.KIND.kind,
        "metadata": {"name": seen.metadata.name, **_own(_object(record.get("metadata")))},
    }


def _record(child: Json, owner_uid: str) -> Json:
    try:
        return _object(_without_nulls(_from_annotation(child) or _from_managed_fields(child, owner_uid)))
    except RecursionError:
        return {}


def _own(metadata: Json) -> Json:
    """Return the labels and annotations in *metadata*, less the label that Metacontroller adds."""
    labels = {key: value for key, value in _object(metadata.get("labels")).items() if key != _CONTROLLER_UID}
    annotations = _object(metadata.get("annotations"))
    return {**({"labels": labels} if labels else {}), **({"annotations": annotations} if annotations else {})}


def _from_annotation(child: Json) -> Json:
    annotations = _object(_object(child.get("metadata")).get("annotations"))
    return _object(_parsed(annotations.get(LAST_APPLIED, "")))


def _from_managed_fields(child: Json, owner_uid: str) -> Json:
    entries = _object(child.get("metadata")).get("managedFields")
    for entry in map(_object, entries if isinstance(entries, list) else []):
        fields = _object(entry.get("fieldsV1"))
        if entry.get("operation") == "Apply" and _owns_reference(fields, owner_uid):
            return _object(_pick(_Owned(fields), child))
    return {}


class _Owned:
    """Owned fields (FieldsV1): what is owned ``below``, by the name of the field or the identity of the item.

    They are indexed once, so that each value takes one look-up: lists and field sets can have thousands of entries.
    """

    def __init__(self, fields: Json) -> None:
        named = ((_named(field), below) for field, below in fields.items() if field not in {"", "."})
        self.below = {field: _Owned(_object(below)) for field, below in named}
        self.keys = frozenset(key for field in fields for key in _key(field))


def _named(field: str) -> str:
    """Return *field* as ``_identity`` spells it, if it names an item: ``k:{"name":"main"}`` or ``v:"value"``."""
    if field.startswith("k:"):
        return _identity(key := _key(field), frozenset(key)) or field
    return _identity(_parsed(field.removeprefix("v:")), frozenset()) or field if field.startswith("v:") else field


def _owns_reference(fields: Json, owner_uid: str) -> bool:
    owners = _object(_object(fields.get("f:metadata")).get("f:ownerReferences"))
    return any(_key(field) == {"uid": owner_uid} for field in owners)


def _pick(owned: _Owned, value: object) -> object:
    """Return the part of *value* that is *owned*."""
    if not owned.below:
        return value
    if isinstance(value, dict):
        named = ((owned.below.get(f"f:{field}"), field, inner) for field, inner in value.items())
        return {field: _pick(below, inner) for below, field, inner in named if below}
    if isinstance(value, list):
        found = ((owned.below.get(_identity(item, owned.keys)), item) for item in value)
        return [_pick(below, item) for below, item in found if below]
    return value


def _identity(item: object, keys: frozenset[str]) -> str:
    """Return what names *item* in a list whose items are told apart by the fields *keys*, or else by their value.

    That is ``""`` if nothing does.
    """
    if isinstance(item, dict):
        key = {field: value for field, value in item.items() if field in keys and _is_scalar(value)}
        return f"k:{_text(key)}" if key else ""
    return f"v:{_text(item)}" if _is_scalar(item) else ""


def _text(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode()


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float)


def _key(field: str) -> Json:
    return _object(_parsed(field.removeprefix("k:"))) if field.startswith("k:") else {}


def _parsed(json: str | msgspec.Raw) -> object:
    try:
        return msgspec.json.decode(json) if json else None
    except (msgspec.DecodeError, RecursionError):
        return None


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {field: _without_nulls(inner) for field, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_nulls(inner) for inner in value if inner is not None]
    return value
