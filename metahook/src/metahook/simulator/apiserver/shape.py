"""Shapes: what type a value must be of, said as tables; and what is wrong with one that is of another.

A value of null is as good as none, wherever a field may be left out.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Json = dict[str, Any]
Shape = Callable[[Any, str], str | None]
"""Returns what is wrong with a value at a path, or None."""

DEEPEST = 64
"""Levels of objects and lists; no Kubernetes object has half as many."""

_PLAIN = {dict, list, str, bool, int, float, type(None)}
_NOT_TEXT = re.compile("[\ud800-\udfff]")


def leaf(said: str, fits: Callable[[Any], bool]) -> Shape:
    """Return the shape of what *fits*; *said* tells others what they must be."""
    return lambda value, path: None if fits(value) else f"{path}: must be {said}"


def fields(known: dict[str, Shape], *, required: Iterable[str] = (), closed: bool = False) -> Shape:
    """Return the shape of an object with these fields; if it is *closed* it has no others."""

    def wrong(value: Any, path: str) -> str | None:
        if not isinstance(value, dict):
            return f"{path}: must be an object"
        for name in required:
            if value.get(name) in (None, "", []):
                return f"{path}.{name}: Required value"
        if closed and not known.keys() >= value.keys():
            return f"{path}: unknown field"
        there = [name for name in known if value.get(name) is not None]
        return _first(known[name](value[name], f"{path}.{name}") for name in there)

    return wrong


def items(shape: Shape) -> Shape:
    """Return the shape of a list of such items."""

    def wrong(value: Any, path: str) -> str | None:
        if not isinstance(value, list):
            return f"{path}: must be a list"
        return _first(shape(item, f"{path}[{place}]") for place, item in enumerate(value))

    return wrong


def entries(shape: Shape) -> Shape:
    """Return the shape of an object whose values all are such."""

    def wrong(value: Any, path: str) -> str | None:
        if not isinstance(value, dict):
            return f"{path}: must be an object"
        return _first(shape(inner, f"{path}[{name}]") for name, inner in value.items() if inner is not None)

    return wrong


def _first(found: Iterable[str | None]) -> str | None:
    return next(filter(None, found), None)


def whole(value: Any) -> bool:
    """Tell whether *value* is a whole number that is not negative; 1.0 is one."""
    return type(value) in (int, float) and value >= 0 and value == math.floor(value) and value < 2**31


def not_json(value: Any) -> str | None:
    """Return why *value* is nothing that JSON can say, or more than is looked at; None if it is."""
    level = [value]
    for _ in range(DEEPEST):
        if not _plain(level):
            return "is not JSON"
        level = [inner for each in level for inner in inside(each)]
        if not level:
            return None
    return f"is nested more than {DEEPEST} deep"


def inside(value: Any) -> Iterator[Any]:
    """Yield what is directly inside *value*."""
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _plain(level: list[Any]) -> bool:
    """Tell whether all values of a *level* are of JSON's types, and all text in them can be written."""
    names = [name for each in level if type(each) is dict for name in each]
    if not (_PLAIN.issuperset(map(type, level)) and all(type(name) is str for name in names)):
        return False
    said = "".join([*names, *(each for each in level if type(each) is str)])
    numbers = (each for each in level if type(each) is float)
    return (said.isascii() or not _NOT_TEXT.search(said)) and all(map(math.isfinite, numbers))
