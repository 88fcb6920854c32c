"""Who owns which fields of an object, as the API server records it in ``metadata.managedFields``.

Source: Kubernetes, "Server-Side Apply", FieldsV1. A record is read leniently: one that can't be read owns nothing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from metahook.protocol.objects import Observed, try_read

FieldSet = dict[str, Any]
"""FieldsV1: ``f:name`` is a field, ``k:{"name":"main"}`` an item of a list, ``.`` the object or list itself."""

_DEEPEST = 64
"""Levels of fields; no Kubernetes object has half as many."""

_NO_FIELDS = msgspec.Raw(b"{}")


class _Entry(Observed, frozen=True):
    manager: str
    operation: str
    subresource: str | None = None
    fields_v1: msgspec.Raw = msgspec.field(name="fieldsV1", default=_NO_FIELDS)


class _Metadata(Observed, frozen=True):
    managed_fields: list[msgspec.Raw] | None = None


class _Managed(Observed, frozen=True):
    metadata: _Metadata


@dataclass(frozen=True)
class FieldOwner:
    """A manager that owns fields of an object, by one operation: ``Apply`` (server-side) or ``Update`` (all others)."""

    manager: str
    operation: str
    subresource: str | None
    raw: msgspec.Raw

    @property
    def fields(self) -> FieldSet:
        """The fields it owns, decoded at each call."""
        return try_read(self.raw, FieldSet) or {}


def field_owners(raw: msgspec.Raw) -> list[FieldOwner]:
    """Return the owners of fields of the object whose JSON is *raw*."""
    found = try_read(raw, _Managed)
    entries = (try_read(entry, _Entry) for entry in (found.metadata.managed_fields or [] if found else []))
    return [FieldOwner(each.manager, each.operation, each.subresource, each.fields_v1) for each in entries if each]


def owns_reference(fields: FieldSet, uid: str) -> bool:
    """Tell whether *fields* have the owner reference to the object *uid*."""
    references = inside(inside(fields, "f:metadata"), "f:ownerReferences")
    return any(list_key(field) == {"uid": uid} for field in references)


def inside(fields: FieldSet, field: str) -> FieldSet:
    """Return what *fields* have of *field*."""
    found = fields.get(field)
    return found if isinstance(found, dict) else {}


def list_key(field: str) -> dict[str, str | int]:
    """Return what identifies the item of a list that *field* names, such as ``{"name": "main"}``; else nothing."""
    return try_read(field[2:].encode(), dict[str, str | int]) or {} if field.startswith("k:") else {}


def union(sets: Iterable[FieldSet]) -> FieldSet:
    """Return the fields that are in any of *sets*, as deep as objects are."""
    merged: FieldSet = {}
    for fields in sets:
        _add(fields, merged, _DEEPEST)
    return merged


def _add(fields: FieldSet, merged: FieldSet, levels: int) -> None:
    for field, inner in fields.items():
        if isinstance(inner, dict) and levels:
            _add(inner, merged.setdefault(field, {}), levels - 1)
