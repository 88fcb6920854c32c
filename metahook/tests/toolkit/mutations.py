"""Damages JSON: every place in it, and what may stand there instead."""

import json
from collections.abc import Callable, Iterator
from typing import Any

Path = tuple[str | int, ...]

CANARY = "canary-45c48cce"

REPLACEMENTS: dict[str, Callable[[Any], Any]] = {
    "null": lambda _: None,
    "true": lambda _: True,
    "zero": lambda _: 0,
    "minus one": lambda _: -1,
    "a fraction": lambda _: 1.5,
    "a number of 30 digits": lambda _: 10**29,
    "empty text": lambda _: "",
    "text": lambda _: "x",
    "a long text": lambda _: "x" * 100_000,
    "an empty list": lambda _: [],
    "an empty map": lambda _: {},
    "itself as text": json.dumps,
    "null in a map": lambda _: {"x": None},
    "itself and an unknown field": lambda node: {**node, CANARY: CANARY} if isinstance(node, dict) else node,
}
"""What stands in a place instead of what was there."""


def places(node: Any, path: Path = ()) -> Iterator[Path]:
    """Return the path of every node below and with *node*."""
    yield path
    steps: Any = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for step, inner in steps:
        yield from places(inner, (*path, step))


def at(node: Any, path: Path) -> Any:
    """Return what is at *path* in *node*."""
    for step in path:
        node = node[step]
    return node


def replaced(node: Any, path: Path, new: Callable[[Any], Any]) -> Any:
    """Return *node* with what is at *path* replaced by what *new* makes of it."""
    if not path:
        return new(node)
    step, *rest = path
    changed = replaced(node[step], tuple(rest), new)
    if isinstance(node, dict):
        return {**node, step: changed}
    return [changed if place == step else item for place, item in enumerate(node)]


def without(node: Any, path: Path) -> Any:
    """Return *node* without what is at *path*, which is not empty."""
    *above, last = path

    def less(parent: Any) -> Any:
        if isinstance(parent, dict):
            return {key: inner for key, inner in parent.items() if key != last}
        return [item for place, item in enumerate(parent) if place != last]

    return replaced(node, tuple(above), less)


def spelled(path: Path) -> str:
    """Return *path* for people."""
    return "/".join(map(str, path)) or "the whole"
