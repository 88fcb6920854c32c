"""Paths into an object, such as ``spec.containers[0].image`` or ``metadata.labels['app.kubernetes.io/name']``."""

import re
from typing import Any

_STEP = re.compile(r"\.?(?:([^.\[\]']+)|\[(\d+)\]|\['([^']*)'\])")


class BadPath(ValueError):
    """Raised for what is no path."""


class NoSuchPlace(Exception):
    """Raised where a path leads nowhere. Its text names the place."""


def steps(path: str) -> list[str | int]:
    """Return the steps of *path*: names of fields, and places in lists; raise BadPath."""
    found: list[str | int] = []
    end = 0
    for match in _STEP.finditer(path):
        name, place, quoted = match.groups()
        if match.start() != end:
            break
        found.append(int(place) if place is not None else name if name is not None else quoted)
        end = match.end()
    if not found or end != len(path):
        message = f"{path} is no path; write it as spec.containers[0].image or metadata.labels['a.b/c']"
        raise BadPath(message)
    return found


def look_up(item: Any, path: str) -> Any:
    """Return what *path* leads to in *item*, or None."""
    for step in steps(path):
        if isinstance(item, dict):
            item = item.get(str(step))
        elif isinstance(item, list) and isinstance(step, int) and step < len(item):
            item = item[step]
        else:
            return None
    return item


def put(item: Any, path: str, value: object) -> None:
    """Set what *path* leads to in *item* to *value*, in place; None removes it.

    Maps on the way are made; raise NoSuchPlace if there is something else on it, or too short a list.
    """
    *way, last = steps(path)
    for step in way:
        item = _inside(item, step)
    if isinstance(item, list) and isinstance(last, int):
        _check(item, last)
        item[last] = value
    elif not isinstance(item, dict) or isinstance(last, int):
        raise NoSuchPlace(path)
    elif value is None:
        item.pop(last, None)
    else:
        item[last] = value


def _inside(item: Any, step: str | int) -> Any:
    if isinstance(item, list) and isinstance(step, int):
        _check(item, step)
        return item[step]
    if not isinstance(item, dict) or isinstance(step, int):
        raise NoSuchPlace(str(step))
    if item.get(step) is None:
        item[step] = {}
    return item[step]


def _check(items: list[Any], place: int) -> None:
    if place >= len(items):
        raise NoSuchPlace(f"[{place}]")
