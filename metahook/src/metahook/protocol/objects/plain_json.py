"""Plain JSON: what may be sent. JSON has no NaN, and Metacontroller writes a child with a null at each sync."""

import math
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
"""An object of JSON."""

_MIN_INTEGER, _MAX_INTEGER = -(2**63), 2**63 - 1
"""Those of Go, which keeps others as floats, which are other numbers, or does not decode them."""


def without_nulls(value: object) -> object:
    """Return *value* without fields and items that are null: a response must not contain any."""
    if isinstance(value, dict):
        return {field: without_nulls(inner) for field, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [without_nulls(inner) for inner in value if inner is not None]
    return value


def is_plain_json(value: object) -> bool:
    """Tell whether *value* is JSON throughout, without null, NaN, infinity, or integers outside of int64."""
    if not isinstance(value, (dict, list, tuple)):
        return isinstance(value, str) or _is_number(value)
    for inner in value.values() if isinstance(value, dict) else value:
        # Most values are texts and numbers, and a call costs more than the look at the type.
        kind = type(inner)
        if kind is str or (kind is int and _MIN_INTEGER <= inner <= _MAX_INTEGER):
            continue
        if not is_plain_json(inner):
            return False
    return True


def _is_number(value: object) -> bool:
    """Tell whether *value* is a number, or a boolean, that is the same one in Go."""
    if isinstance(value, int):
        return _MIN_INTEGER <= value <= _MAX_INTEGER
    return isinstance(value, float) and math.isfinite(value)


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
    elif isinstance(value, int) and not _is_number(value):
        yield f"{path} is an integer outside of int64: write it as text"
    elif not isinstance(value, str | int | float):
        yield f"{path} is a {type(value).__name__}: write it as JSON"
