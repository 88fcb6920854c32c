"""Reads a stored MyResource: a spec, or the first problem that keeps it from being one."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import ValidationError

from app.api.dependencies import NOT_ITSELF
from app.api.scalar import NAME
from app.api.spec import MyResourceSpec
from app.api.structural import Schema, structural

_REWORDED = {
    "missing": "is required",
    "json_invalid": "can't be read",
    "string_pattern_mismatch": "is not written as it must be; see the field's description",
}


@dataclass(frozen=True)
class InvalidSpec:
    """A spec that can't be used: which field, and what it must be. Never the value that was found."""

    problem: str


def read(name: str, spec: bytes) -> MyResourceSpec | InvalidSpec:
    """Return the spec (JSON bytes) of the MyResource called *name*, or why it is invalid."""
    if not NAME.holds(name):
        return InvalidSpec(f"metadata.name: {NAME.message}")
    try:
        found = MyResourceSpec.model_validate_json(spec)
    except ValidationError as error:
        return InvalidSpec(_first(error))
    return found if NOT_ITSELF.holds((name, found.dependencies)) else InvalidSpec(f"spec: {NOT_ITSELF.message}")


def _first(error: ValidationError) -> str:
    detail: Any = error.errors(include_url=False, include_context=False, include_input=False)[0]
    text = detail["msg"].replace("Input should be", "must be").replace("should have", "must have")
    countless = text.partition(" after validation")[0]
    return f"{_path(detail['loc'])}: {_REWORDED.get(detail['type'], countless)}"


def _path(loc: tuple[int | str, ...]) -> str:
    """Return a path such as ``spec.env[3].name``; keys of maps are the user's words and left out."""
    path, node = "spec", _schema()
    for step in loc:
        if isinstance(step, int):
            path, node = f"{path}[{step}]", node["items"]
        elif step in node.get("properties", {}):
            path, node = f"{path}.{step}", node["properties"][step]
        else:
            node = node.get("additionalProperties", node)
    return path


@cache
def _schema() -> Schema:
    return structural(MyResourceSpec)
