"""Plain JSON: what may be sent. JSON has no NaN, and Metacontroller writes a child with a null at each sync."""

import math
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
"""An object of JSON."""

_LEAVES = {str, int}


def without_nulls(value: object) -> object:
    """Return *value* without fields and items that are null: a response must not contain any."""
    if isinstance(value, dict):
        return {field: without_nulls(inner) for field, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [without_nulls(inner) for inner in value if inner is not None]
    return value


def is_plain_json(value: object) -> bool:
    """Tell whether *value* is JSON throughout, without null, NaN or infinity."""
    if not isinstance(value, (dict, list, tuple)):
        return isinstance(value, (str, int)) or (isinstance(value, float) and math.isfinite(value))
    for inner in value.values() if isinstance(value, dict) else value:
        # Most values are texts and numbers, and a call costs more than the look at the type.
        if type(inner) not in _LEAVES and not is_plain_json(inner):
            return False
    return True


def first_wrong(value: object, path: str = "") -> str:
    """Return where in *value* the first null is, or what JSON can't say."""
    return next(_wrong(value, path), path)


def _wrong(value: object, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _wrong(inner, f"{path}.{key}" if path else f"{key}")
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _wrong(inner, f"{path}[{index}]")
    elif value is None:
        yield f"{path} is null: leave the field out"
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{path} is {value}, no number of JSON"
    elif not isinstance(value, str | int | float):
        yield f"{path} is a {type(value).__name__}: write it as JSON"
