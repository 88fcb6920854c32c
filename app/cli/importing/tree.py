"""A spec that grows leaf by leaf, for as long as it is valid.

A leaf is the smallest part that means something by itself: a variable, a mount, a probe, the limit of one resource. So
what a spec can't have goes alone, and takes along what would mean something else without it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from app import Json
from app.api.schema.reading import InvalidSpec, read, spec_schema
from app.api.schema.structural import Schema
from app.api.spec import MyResourceSpec
from app.cli.importing.schema import Path, fields_of


@dataclass(frozen=True)
class Leaf:
    """A *value* for the *place* in a spec, in which ``[key]`` is an item of a list."""

    place: Path
    value: Any
    paths: tuple[Path, ...]
    """Where it comes from."""
    reason: str = ""
    """Why a spec can't have it, if that is known."""
    around: tuple[tuple[Path, Json], ...] = ()
    """What it needs around it."""
    subject: str = ""
    """The object that it comes from, such as ``Service web``; by default the Deployment."""


@dataclass
class Tree:
    """A valid spec that grows."""

    name: str
    nodes: Json = field(default_factory=dict)
    lost: list[Leaf] = field(default_factory=list)
    """The leaves that a spec can't have, with their reasons."""

    @property
    def spec(self) -> Json:
        """The spec, with its fields in the order of the models."""
        made: Json = _as_json(self.nodes, spec_schema())
        return made

    @property
    def model(self) -> MyResourceSpec | None:
        """The spec as it is read; None if it is not valid."""
        found = read(self.name, msgspec.json.encode(self.spec))
        return None if isinstance(found, InvalidSpec) else found

    def grow(self, leaves: Iterable[Leaf]) -> None:
        """Add all of *leaves* that keep the spec valid, as many at a time as possible."""
        pending = [each for each in leaves if each.reason or not self._is_below_lost(each)]
        self.lost += [each for each in pending if each.reason]
        known = len(self.lost)
        self._grow([each for each in pending if not each.reason])
        # Once more: two ports that change places are valid only when the second one has changed.
        again, self.lost = self.lost[known:], self.lost[:known]
        self._grow([replace(each, reason="") for each in again])

    def _grow(self, leaves: list[Leaf]) -> None:
        if not leaves:
            return
        before, self.nodes = self.nodes, self._with(leaves)
        problem = problem_of(self.name, self.spec)
        if problem is None:
            return
        self.nodes = before
        if len(leaves) > 1:
            middle = len(leaves) // 2
            self._grow(leaves[:middle])
            self._grow([each for each in leaves[middle:] if not self._is_below_lost(each)])
            return
        (leaf,) = leaves
        self.lost.append(replace(leaf, reason=self._why(leaf, problem)))

    def _with(self, leaves: list[Leaf]) -> Json:
        nodes = self.nodes
        for leaf in leaves:
            for place, value in leaf.around:
                nodes = nodes if _at(nodes, place) is not None else _put(nodes, place, value)
            nodes = _put(nodes, leaf.place, leaf.value)
        return nodes

    def _is_below_lost(self, leaf: Leaf) -> bool:
        """Tell whether *leaf* is a part of an item that is lost."""
        places = [each.place for each in self.lost if not each.around]
        return any(leaf.place[: len(place)] == place != leaf.place for place in places if place)

    def _why(self, leaf: Leaf, problem: str) -> str:
        if leaf.place[-2:-1] == ("volumeMounts",) and f"[{leaf.value['name']}]" not in self.nodes.get("volumes", {}):
            return f"its volume {leaf.value['name']} is left out"
        path, _, message = problem.partition(": ")
        inner = _INDEX.sub("", path).removeprefix(f"spec.{fields_of(leaf.place)}").strip(".")
        largest = _SECONDS.search(message)
        if largest and path.endswith("Seconds"):
            message = f"{message} ({int(largest[1]) // 3600} h)"
        return f"its {inner} {message}" if inner and not path.startswith(inner) else message


_INDEX = re.compile(r"\[\d+\]")
_SECONDS = re.compile(r"less than or equal to (\d+)$")


def problem_of(name: str, spec: Json) -> str | None:
    """Return the first problem of *spec*, of a MyResource called *name*; None if it is valid."""
    found = read(name, msgspec.json.encode(spec))
    return found.problem if isinstance(found, InvalidSpec) else None


def _as_json(node: Any, schema: Schema) -> Any:  # noqa: ANN401 - any JSON
    """Return *node* as JSON, with lists, and the fields in the order of *schema*."""
    if isinstance(node, list):
        return [_as_json(item, schema.get("items", {})) for item in node]
    if not isinstance(node, dict):
        return node
    if node and all(key.startswith("[") for key in node):
        return [_as_json(item, schema.get("items", {})) for item in node.values()]
    fields = schema.get("properties", {})
    order = [*fields]
    names = sorted(node, key=lambda name: order.index(name) if name in order else len(order)) if fields else node
    return {name: _as_json(node[name], fields.get(name, {})) for name in names}


def _put(node: Any, place: Path, value: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return *node* with *value* at *place*."""
    if not place:
        return value
    step, *rest = place
    inner = node if isinstance(node, dict) else {}
    return {**inner, step: _put(inner.get(step, {}), tuple(rest), value)}


def _at(node: Any, place: Path) -> Any:  # noqa: ANN401 - any JSON
    for step in place:
        node = node.get(step) if isinstance(node, dict) else None
    return node
