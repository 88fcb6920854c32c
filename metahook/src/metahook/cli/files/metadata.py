"""Metadata of objects in files: its fields with their types, and those that the API server sets."""

from collections.abc import Iterator
from typing import Any

import msgspec

from metahook.protocol.objects import Json


class _Owner(msgspec.Struct):
    """The fields of an owner reference that are read."""

    uid: str
    name: str | None = None
    kind: str | None = None
    controller: bool | None = None


_STRING = (str, "a string; quote it")
_NUMBER = (int, "a whole number")
_MAP = (dict[str, str], "a map of strings, such as {team: web}; quote its values")

FIELDS: dict[str, tuple[Any, str]] = {
    "name": _STRING,
    "generateName": _STRING,
    "namespace": _STRING,
    "labels": _MAP,
    "annotations": _MAP,
    "finalizers": (list[str], "a list of strings, such as [example.com/mine]"),
    "ownerReferences": (list[_Owner], "a list of owners, each with apiVersion, kind, name and uid"),
    "uid": _STRING,
    "resourceVersion": (str, "a string; remove it"),
    "generation": _NUMBER,
    "selfLink": _STRING,
    "creationTimestamp": _STRING,
    "deletionTimestamp": _STRING,
    "deletionGracePeriodSeconds": _NUMBER,
    "managedFields": (list[dict[str, Any]], "a list of objects; remove it"),
}
"""All fields, each with its type and the words for that type."""

_USER_FIELDS = {"name", "generateName", "namespace", "labels", "annotations", "finalizers", "ownerReferences"}
SERVER_FIELDS = frozenset(FIELDS) - _USER_FIELDS
"""Fields that the API server sets; it ignores their values in a request."""


def type_problems(metadata: Json) -> Iterator[str]:
    """Yield a sentence for each field of *metadata* that has the wrong type. Null counts as absent."""
    for name, (type_, words) in FIELDS.items():
        try:
            msgspec.convert(metadata.get(name), type_ | None)
        except (msgspec.ValidationError, OverflowError):
            yield f"metadata.{name}: must be {words}"


def present_fields(metadata: Json) -> Json:
    """Return *metadata* without its nulls, and without an empty namespace."""
    return {name: value for name, value in metadata.items() if value is not None and (name, value) != ("namespace", "")}
