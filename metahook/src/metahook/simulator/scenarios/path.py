"""Paths into an object, such as ``spec.containers[0].image`` or ``metadata.labels['app.kubernetes.io/name']``."""

import re
from typing import Any

_STEP = re.compile(r"\.?(?:([^.\[\]']+)|\[(\d+)\]|\['([^']*)'\])")


class InvalidPath(ValueError):
    """Raised for text that is not a path."""


class PathNotFound(Exception):
    """Raised where a path does not exist in an object. Its text names the missing part."""


def path_steps(path: str) -> list[str | int]:
    """Return the steps of *path*, field names and list indexes; raise InvalidPath."""
    found: list[str | int] = []
    end = 0
    for match in _STEP.finditer(path):
        name, index, quoted = match.groups()
        if match.start() != end:
            break
        found.append(int(index) if index is not None else name if name is not None else quoted)
        end = match.end()
    if not found or end != len(path):
        message = f"{path} is not a path; write it as spec.containers[0].image or metadata.labels['a.b/c']"
        raise InvalidPath(message)
    return found


def look_up(item: Any, path: str) -> Any:
    """Return the value at *path* in *item*, or None."""
    for step in path_steps(path):
        if isinstance(item, dict):
            item = item.get(str(step))
        elif isinstance(item, list) and isinstance(step, int) and step < len(item):
            item = item[step]
        else:
            return None
    return item


def set_value(item: Any, path: str, value: object) -> None:
    """Set the value at *path* in *item*, in place; None removes the field.

    Creates missing maps on the way; raise PathNotFound for a scalar or a too short list on the way.
    """
    *parents, last = path_steps(path)
    for step in parents:
        item = _inside(item, step)
    if isinstance(item, list) and isinstance(last, int):
        _check(item, last)
        item[last] = value
    elif not isinstance(item, dict) or isinstance(last, int):
        raise PathNotFound(path)
    elif value is None:
        item.pop(last, None)
    else:
        item[last] = value


def _inside(item: Any, step: str | int) -> Any:
    if isinstance(item, list) and isinstance(step, int):
        _check(item, step)
        return item[step]
    if not isinstance(item, dict) or isinstance(step, int):
        raise PathNotFound(str(step))
    if item.get(step) is None:
        item[step] = {}
    return item[step]


def _check(items: list[Any], index: int) -> None:
    if index >= len(items):
        raise PathNotFound(f"[{index}]")
