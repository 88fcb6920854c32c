"""Metadata of objects in files: the types and names that the API server requires, and the fields that it sets."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from app.api.scalar import KEY, MAX_KEY, matches

Json = dict[str, Any]


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

_NAMESPACE = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_VALUE = re.compile("([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_MAX_LENGTH = 63


def type_problems(metadata: Json) -> Iterator[str]:
    """Yield a sentence for each field of *metadata* that has the wrong type. Null counts as absent."""
    for name, (type_, words) in FIELDS.items():
        try:
            msgspec.convert(metadata.get(name), type_ | None)
        except (msgspec.ValidationError, OverflowError):
            yield f"metadata.{name}: must be {words}"


def name_problems(metadata: Json) -> Iterator[str]:
    """Yield a sentence for each name in *metadata* that Kubernetes refuses; the types must be right."""
    present = without_nulls(metadata)
    namespace = present.get("namespace", "default")
    if len(namespace) > _MAX_LENGTH or not matches(_NAMESPACE, namespace):
        yield f"metadata.namespace: must be at most {_MAX_LENGTH} lower-case letters, digits and dashes, such as team-a"
    for field in ("labels", "annotations", "finalizers"):
        if not all(map(_is_key, present.get(field, ()))):
            yield f"metadata.{field}: each name must be written as example.com/name, or name"
    if not all(len(value) <= _MAX_LENGTH and _VALUE.fullmatch(value) for value in present.get("labels", {}).values()):
        yield f"metadata.labels: a value must be at most {_MAX_LENGTH} letters, digits, dashes, dots and underscores"


def _is_key(text: str) -> bool:
    prefix, slash, name = text.rpartition("/")
    return len(prefix) <= MAX_KEY and matches(KEY, prefix.lower() + slash + name)


def without_nulls(metadata: Json) -> Json:
    """Return *metadata* without its nulls, and without an empty namespace."""
    return {name: value for name, value in metadata.items() if value is not None and (name, value) != ("namespace", "")}
