"""Schemas: the type that a value must have, and the error for a value of another type.

Null is the same as absence for every field that may be left out.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from metahook.protocol.plain_json import Json

Schema = Callable[[Any, str], str | None]
"""Returns the error for a value at a path, or None."""

DEEPEST = 64
"""Levels of objects and lists; no Kubernetes object has half as many."""

_JSON_TYPES = {dict, list, str, bool, int, float, type(None)}
_SURROGATES = re.compile("[\ud800-\udfff]")


def scalar(description: str, fits: Callable[[Any], bool]) -> Schema:
    """Return the schema of the values that *fits* accepts; *description* completes "must be ..."."""
    return lambda value, path: None if fits(value) else f"{path}: must be {description}"


def object_of(known: dict[str, Schema], *, required: Iterable[str] = (), closed: bool = False) -> Schema:
    """Return the schema of an object with the fields *known*; *closed* allows no others."""

    def check(value: Any, path: str) -> str | None:
        if not isinstance(value, dict):
            return f"{path}: must be an object"
        for name in required:
            if value.get(name) in (None, "", []):
                return f"{path}.{name}: Required value"
        if closed and not known.keys() >= value.keys():
            return f"{path}: unknown field"
        present = [name for name in known if value.get(name) is not None]
        return _first(known[name](value[name], f"{path}.{name}") for name in present)

    return check


def list_of(schema: Schema) -> Schema:
    """Return the schema of a list whose items have *schema*."""

    def check(value: Any, path: str) -> str | None:
        if not isinstance(value, list):
            return f"{path}: must be a list"
        return _first(schema(item, f"{path}[{index}]") for index, item in enumerate(value))

    return check


def map_of(schema: Schema) -> Schema:
    """Return the schema of a map whose values have *schema*; a null value is allowed."""

    def check(value: Any, path: str) -> str | None:
        if not isinstance(value, dict):
            return f"{path}: must be an object"
        return _first(schema(inner, f"{path}[{name}]") for name, inner in value.items() if inner is not None)

    return check


def _first(errors: Iterable[str | None]) -> str | None:
    return next(filter(None, errors), None)


def is_whole_number(value: Any) -> bool:
    """Tell whether *value* is a whole number that is not negative; 1.0 is one."""
    return type(value) in (int, float) and value >= 0 and value == math.floor(value) and value < 2**31


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
