"""The types of the fields that objects of all kinds have, and JSON that an API server accepts."""

import math
import re
from collections.abc import Iterator
from typing import Any

from metahook.simulator.apiserver.built_in_kinds import undeclared_fields
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.objects import Json

DEEPEST = 64
"""Levels of objects and lists; no Kubernetes object has half as many."""

_JSON_TYPES = {dict, list, str, bool, int, float, type(None)}
_SURROGATES = re.compile("[\ud800-\udfff]")

STRINGS: Json = {"items": "string"}
LABELS: Json = {"values": "string"}
_OBJECT: Json = {
    "fields": {"apiVersion": "string", "kind": "string", "metadata": "#apis.meta.v1.ObjectMeta"},
    "required": ["apiVersion", "kind", "metadata"],
}
_CONDITION: Json = {
    "fields": {"type": "string", "status": "string", "reason": "string", "message": "string"},
    "required": ["type"],
}
_STATUS: Json = {"fields": {"conditions": {"items": _CONDITION}}}


def check_object(item: Json) -> None:
    """Raise ApiError if *item*, which is JSON, is not a Kubernetes object with metadata of the right types."""
    undeclared_fields(item, _OBJECT, "")


def check_status(status: Any) -> None:
    """Raise ApiError if *status* does not have the types of a status."""
    undeclared_fields(status, _STATUS, "status")


def check_json(item: Json) -> None:
    """Raise ApiError if *item*, which a user wrote, can't be sent as JSON."""
    why = json_problem(item)
    if why is not None:
        raise ApiError("BadRequest", f"the object {why}")


def json_problem(value: Any) -> str | None:
    """Return why *value* is not JSON, or nested too deeply; None if it is fine."""
    level = [value]
    for _ in range(DEEPEST):
        if not _is_json(level):
            return "is not JSON"
        level = [inner for outer in level for inner in nested_values(outer)]
        if not level:
            return None
    return f"is nested more than {DEEPEST} deep"


def nested_values(value: Any) -> Iterator[Any]:
    """Yield the values of a map, or the items of a list."""
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _is_json(level: list[Any]) -> bool:
    """Tell whether all values of a *level* have JSON types, and all their text can be encoded."""
    names = [name for inner in level if type(inner) is dict for name in inner]
    if not (_JSON_TYPES.issuperset(map(type, level)) and all(type(name) is str for name in names)):
        return False
    joined = "".join([*names, *(inner for inner in level if type(inner) is str)])
    numbers = (inner for inner in level if type(inner) is float)
    return (joined.isascii() or not _SURROGATES.search(joined)) and all(map(math.isfinite, numbers))
