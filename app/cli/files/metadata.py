"""Metadata of objects in files: what no API server takes, and what is its own to write."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from app.api.scalar import KEY, MAX_KEY, matches

Json = dict[str, Any]


class _Owner(msgspec.Struct):
    """An owner reference, as far as it is read."""

    uid: str
    name: str | None = None
    kind: str | None = None
    controller: bool | None = None


_TEXT = (str, "text; quote it")
_NUMBER = (int, "a whole number")
_MAP = (dict[str, str], "a map of text to text, such as {team: web}; quote its values")

FIELDS: dict[str, tuple[Any, str]] = {
    "name": _TEXT,
    "generateName": _TEXT,
    "namespace": _TEXT,
    "labels": _MAP,
    "annotations": _MAP,
    "finalizers": (list[str], "a list of texts, such as [example.com/mine]"),
    "ownerReferences": (list[_Owner], "a list of owners, each with apiVersion, kind, name and uid"),
    "uid": _TEXT,
    "resourceVersion": (str, "text; leave it out"),
    "generation": _NUMBER,
    "selfLink": _TEXT,
    "creationTimestamp": _TEXT,
    "deletionTimestamp": _TEXT,
    "deletionGracePeriodSeconds": _NUMBER,
    "managedFields": (list[dict[str, Any]], "a list of objects; leave it out"),
}
"""The fields that there are, each with its type, and that in words."""

_USERS = {"name", "generateName", "namespace", "labels", "annotations", "finalizers", "ownerReferences"}
SERVERS = frozenset(FIELDS) - _USERS
"""The fields that the API server writes itself, whatever is sent."""

_NAMESPACE = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_VALUE = re.compile("([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_LONGEST = 63


def misshapen(metadata: Json) -> Iterator[str]:
    """Yield a sentence for each field of *metadata* that has another type than it must have; null is absence."""
    for name, (shape, words) in FIELDS.items():
        try:
            msgspec.convert(metadata.get(name), shape | None)
        except (msgspec.ValidationError, OverflowError):
            yield f"metadata.{name}: must be {words}"


def misnamed(metadata: Json) -> Iterator[str]:
    """Yield a sentence for each name in *metadata*, which is of the right types, that Kubernetes does not take."""
    present = without_nulls(metadata)
    namespace = present.get("namespace", "default")
    if len(namespace) > _LONGEST or not matches(_NAMESPACE, namespace):
        yield f"metadata.namespace: must be at most {_LONGEST} lower-case letters, digits and dashes, such as team-a"
    for field in ("labels", "annotations", "finalizers"):
        if not all(map(_is_key, present.get(field, ()))):
            yield f"metadata.{field}: has a name that is not written as example.com/name, or name"
    if not all(len(value) <= _LONGEST and _VALUE.fullmatch(value) for value in present.get("labels", {}).values()):
        yield f"metadata.labels: a value must be at most {_LONGEST} letters, digits, dashes, dots and underscores"


def _is_key(text: str) -> bool:
    prefix, slash, name = text.rpartition("/")
    return len(prefix) <= MAX_KEY and matches(KEY, prefix.lower() + slash + name)


def without_nulls(metadata: Json) -> Json:
    """Return *metadata* without what is there and says nothing: nulls, and a namespace without a name."""
    return {name: value for name, value in metadata.items() if value is not None and (name, value) != ("namespace", "")}
