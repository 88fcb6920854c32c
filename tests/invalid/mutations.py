"""Damages requests: every place in a body, and what may stand there instead."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from metahook.simulator.metacontroller.settings import MODES
from tests.recorded.traffic import one
from tests.requests.builders import Json

Path = tuple[str | int, ...]

CANARY = "canary-45c48cce"
LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"

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


def recorded_sync(mode: str, **spec: Any) -> Json:
    """Return a request recorded under *mode*, less fields that are not read; *spec* replaces fields of its spec."""
    request = one(f"{mode}/rollout-4-ports-added-rest").content["request"]
    parent = request["parent"]
    marked = {**parent["spec"], "env": [{"name": "WORD", "value": CANARY}], **spec}
    return {"parent": {**parent, "spec": marked}, "children": request["children"], "related": request["related"]}


MADE = recorded_sync(MODES[0])
"""A request whose children the spec decides."""

KEPT_BY_ANNOTATION = recorded_sync(MODES[0], replicas=-1)
"""A request with an invalid spec, whose children stay as the annotation says that they were applied."""

KEPT_BY_MANAGED_FIELDS = recorded_sync(MODES[1], replicas=-1)
REQUESTS = {"made": MADE, "kept": KEPT_BY_MANAGED_FIELDS}
"""The same under server-side apply."""

DEPLOYMENT = ("children", "Deployment.apps/v1", "rollout/web-deployment")
RECORD = (*DEPLOYMENT, "metadata", "annotations", LAST_APPLIED)


def with_record(request: Json, record: str) -> Json:
    """Return *request* whose Deployment carries *record* as what was applied last."""
    changed: Json = replaced(request, RECORD, lambda _: record)
    return changed


def record_of(request: Json) -> Json:
    """Return what was applied last, as the Deployment of *request* says."""
    group, key = RECORD[1], RECORD[2]
    record: Json = json.loads(request["children"][group][key]["metadata"]["annotations"][LAST_APPLIED])
    return record


def with_text(request: Json, path: Path, text: str) -> bytes:
    """Return *request* as JSON, with *text* as it is at *path*."""
    return json.dumps(replaced(request, path, lambda _: "@")).replace('"@"', text).encode()


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
