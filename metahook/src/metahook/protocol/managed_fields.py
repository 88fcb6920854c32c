"""Managed fields: who owns which fields of an object, as the API server records it in ``metadata.managedFields``.

Source: Kubernetes, "Server-Side Apply", FieldsV1. A record is read leniently: one that can't be read owns nothing.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from metahook.protocol.bodies import try_read, try_read_list
from metahook.protocol.objects import Observed

FieldSet = dict[str, Any]
"""FieldsV1: ``f:name`` is a field, ``k:{"name":"main"}`` or ``v:"value"`` an item of a list, ``.`` the value itself."""

ListKey = dict[str, str | int | float | bool]
"""The fields that identify an item of a list, such as ``{"name": "main"}``."""

APPLIER = "metacontroller"
"""The field manager of Metacontroller's writes unless it is configured otherwise."""

_DEEPEST = 64
"""Levels of fields; no Kubernetes object has half as many."""

_NO_FIELDS = msgspec.Raw(b"{}")


class FieldOwner(Observed, frozen=True):
    """A manager that owns fields of an object, by one operation: ``Apply`` (server-side) or ``Update`` (all others)."""

    operation: str
    manager: str = ""
    subresource: str | None = None
    time: str = ""
    """When it last changed one of them."""
    fields_v1: msgspec.Raw = msgspec.field(name="fieldsV1", default=_NO_FIELDS)

    @property
    def fields(self) -> FieldSet:
        """The fields it owns, decoded at each call."""
        return try_read(self.fields_v1, FieldSet) or {}


def field_owners(managed_fields: msgspec.Raw) -> list[FieldOwner]:
    """Return the owners of fields of an object, of which *managed_fields* is the JSON of that field of its metadata."""
    return try_read_list(managed_fields, FieldOwner)


class _Change(Observed, frozen=True):
    """When a manager last changed one of its fields; without the fields, which take much longer to decode."""

    time: str
    subresource: str | None = None


def last_change(managed_fields: bytes | msgspec.Raw, *, of_status: bool) -> str:
    """Return when the status of an object, or the rest of it, was last changed: a time in RFC 3339, or "" if unknown.

    The API server sets these times, in whole seconds; *managed_fields* is the JSON of that field of the metadata.
    """
    changes = try_read_list(managed_fields, _Change)
    return max((each.time for each in changes if (each.subresource == "status") == of_status), default="")


def owns_reference(fields: FieldSet, uid: str) -> bool:
    """Tell whether *fields* have the owner reference to the object *uid*."""
    references = subset(subset(fields, "f:metadata"), "f:ownerReferences")
    return any(list_key(field) == {"uid": uid} for field in references)


def is_metacontroller(owner: FieldOwner, owner_uid: str) -> bool:
    """Tell whether *owner* is Metacontroller, under whatever name: it set the owner reference to *owner_uid*.

    The bytes are searched first, because decoding is slow.
    """
    if owner.manager == APPLIER:
        return True
    return b"f:ownerReferences" in bytes(owner.fields_v1) and owns_reference(owner.fields, owner_uid)


def owns(fields: FieldSet, path: str) -> bool:
    """Tell whether *fields* have *path* (such as ``.spec.containers[main].image``), a part of it, or what it is in.

    A name can have dots, so the path is followed along the fields.
    """
    for field, below in fields.items():
        rest = _rest(field, path)
        if rest is not None and (not rest or not below or owns(subset(fields, field), rest)):
            return True
    return False


def _rest(field: str, path: str) -> str | None:
    """Return what follows in *path* after the step that *field* names; None if the path begins with another one."""
    names = [f"[{value}]" for value in list_key(field).values()] if field.startswith("k:") else []
    for name in names or [f".{field.removeprefix('f:')}"]:
        if path.startswith(name) and path[len(name) : len(name) + 1] in {"", ".", "["}:
            return path[len(name) :]
    return None


def subset(fields: FieldSet, field: str) -> FieldSet:
    """Return what *fields* have below *field*."""
    below = fields.get(field)
    return below if isinstance(below, dict) else {}


def list_key(field: str) -> ListKey:
    """Return the key of the item of a list that *field* (``k:...``) names; an empty one if it names none."""
    return try_read(field[2:].encode(), ListKey) or {} if field.startswith("k:") else {}


def union(sets: Iterable[FieldSet]) -> FieldSet:
    """Return the fields that are in any of *sets*, as deep as objects are."""
    merged: FieldSet = {}
    for fields in sets:
        _add(fields, merged, _DEEPEST)
    return merged


def _add(fields: FieldSet, merged: FieldSet, levels: int) -> None:
    for field, below in fields.items():
        if isinstance(below, dict) and levels:
            _add(below, merged.setdefault(field, {}), levels - 1)


_Items = dict[int, tuple[dict[str, FieldSet], frozenset[str]]]
"""By the id of a field set: what it owns below each list item that it names, and the keys that identify items."""


def owned_part(fields: FieldSet, value: object) -> object:
    """Return the part of *value* that *fields* own; the items of a list keep their order."""
    return _owned_part(fields, value, {})


def _owned_part(fields: FieldSet, value: object, indexed: _Items) -> object:
    if not any(field not in {"", "."} for field in fields):
        return value
    if isinstance(value, dict):
        owned = {field: f"f:{field}" for field in value if f"f:{field}" in fields}
        return {field: _owned_part(subset(fields, name), value[field], indexed) for field, name in owned.items()}
    return _owned_items(fields, value, indexed) if isinstance(value, list) else value


def _owned_items(fields: FieldSet, items: list[object], indexed: _Items) -> list[object]:
    """Return the part of *items* that *fields* own. Each takes one look-up: both can have thousands of entries."""
    if id(fields) not in indexed:
        below = {_spelled(field): subset(fields, field) for field in fields if field not in {"", "."}}
        indexed[id(fields)] = below, frozenset([key for field in fields for key in list_key(field)])
    below, keys = indexed[id(fields)]
    identified = [(below.get(_identity(item, keys)), item) for item in items]
    return [_owned_part(owned, item, indexed) for owned, item in identified if owned is not None]


def _spelled(field: str) -> str:
    """Return *field* as ``_identity`` spells it, if it names an item of a list."""
    if field.startswith("k:"):
        return _identity(key := list_key(field), frozenset(key)) or field
    if field.startswith("v:"):
        return _identity(try_read(field[2:].encode(), _ANY), frozenset()) or field
    return field


def _identity(item: object, keys: frozenset[str]) -> str:
    """Return what identifies *item* in a list: its fields *keys*, or else its value; ``""`` if nothing does."""
    if isinstance(item, dict):
        key = {field: value for field, value in item.items() if field in keys and isinstance(value, _SCALAR)}
        return f"k:{_text(key)}" if key else ""
    return f"v:{_text(item)}" if isinstance(item, _SCALAR) else ""


_ANY: Any = Any
_SCALAR = (str, int, float)


def _text(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode()
