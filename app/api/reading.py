"""Parses the spec of a stored MyResource, or names the first problem in it; tells whether it lacks a default."""

import re
from functools import cache
from typing import Any, NamedTuple

import msgspec
from pydantic import ValidationError

from app.api.generated_schema import Schema, spec_schema
from app.api.model import HOOK_RULE, NEW, Model, build
from app.api.rollouts import NOT_ITSELF
from app.api.scalars import NAME
from app.api.spec import MyResourceSpec

_REWORDED = {
    "missing": "Required value",
    "json_invalid": "is not valid JSON",
    "string_pattern_mismatch": "does not have the required format; see the description of the field",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "list_type": "must be a list",
}
"""Messages by pydantic's type of error, where its own say less or use Python's words."""

_SUBJECT = re.compile("^[A-Z][a-z]+ should ")
"""How pydantic's own messages start, such as ``Input should be`` and ``String should have``."""


class InvalidSpec(msgspec.Struct, frozen=True):
    """A spec that is not valid: ``problem`` names the field and what it must be, never its value."""

    problem: str


class SpecProblem(NamedTuple):
    """What is wrong at *path* of a MyResource. With *is_stored* the API server stores it, and the hook refuses it."""

    path: tuple[int | str, ...]
    message: str
    is_stored: bool = False


def problems(name: str, spec: bytes, old: bytes | None = None) -> list[SpecProblem]:
    """Return all that is wrong with the new spec (JSON bytes) of the MyResource called *name*, which replaces *old*."""
    # A rule between fields is not reached where a field breaks a rule, which may be one for new values alone.
    (_, of_new), (valid, of_all) = _validated(spec, NEW), _validated(spec, None)
    found = list(dict.fromkeys([*of_new, *of_all]))
    if not NAME.holds(name):
        found.append(SpecProblem(("metadata", "name"), NAME.message))
    if valid and not NOT_ITSELF.holds((name, valid.dependencies)):
        found.append(SpecProblem(("spec", "dependencies"), NOT_ITSELF.message))
    before = read(name, old) if old else None
    if valid and isinstance(before, MyResourceSpec):
        changes = (rule for rule in MyResourceSpec.rules if rule.judges == "changes")
        found += [SpecProblem(("spec",), rule.message) for rule in changes if not rule.holds((before, valid))]
    return found


def _validated(spec: bytes, context: str | None) -> tuple[MyResourceSpec | None, list[SpecProblem]]:
    try:
        return MyResourceSpec.model_validate_json(spec, context=context), []
    except ValidationError as error:
        details: Any = error.errors(include_url=False, include_context=False, include_input=False)
        return None, [
            SpecProblem(("spec", *_place(item["loc"])), _message(item), item["type"] == HOOK_RULE) for item in details
        ]


def _place(loc: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Return *loc* without what pydantic adds for a key of a map, which counts as the map."""
    return loc[:-2] if loc[-1:] == ("[key]",) else loc


def read(name: str, spec: bytes, *, context: str | None = None) -> MyResourceSpec | InvalidSpec:
    """Return the spec (JSON bytes) of the MyResource called *name*, or why it is invalid; NEW judges a new one."""
    if not NAME.holds(name):
        return InvalidSpec(f"metadata.name: {NAME.message}")
    try:
        valid = MyResourceSpec.model_validate_json(spec, context=context)
    except ValidationError as error:
        return InvalidSpec(_first_problem(error))
    return valid if NOT_ITSELF.holds((name, valid.dependencies)) else InvalidSpec(f"spec: {NOT_ITSELF.message}")


def _first_problem(error: ValidationError) -> str:
    detail: Any = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return f"{_path(detail['loc'])}: {_message(detail)}"


def _message(detail: Any) -> str:  # noqa: ANN401 - as pydantic has it
    # "List should have at most 16 items after validation, not 17" ends in a number of the request, which is cut off.
    message = _SUBJECT.sub("must ", detail["msg"]).partition(" after validation")[0]
    return _REWORDED.get(detail["type"], message)


def _path(loc: tuple[int | str, ...]) -> str:
    """Return a path such as ``spec.env[3].name``. Keys of maps are left out: they are content of the request."""
    path, node = "spec", spec_schema()
    for step in loc:
        if isinstance(step, int):
            path, node = f"{path}[{step}]", node["items"]
        elif step in node.get("properties", {}):
            path, node = f"{path}.{step}", node["properties"][step]
        else:
            node = node.get("additionalProperties", node)
    return path


_LACKING = "Object missing required field"
"""How the error of msgspec begins. It has no attributes that tell a missing field from one of another type."""


def prepare() -> None:
    """Build what the first specs would wait for: the validators, and what tells whether a default is absent."""
    build(Model)
    _decoder()


def lacks_default(spec: bytes) -> bool:
    """Tell whether *spec*, the JSON of a stored MyResource's, lacks a default of this version's CRD."""
    try:
        _decoder().decode(spec)
    except (msgspec.DecodeError, RecursionError) as error:
        return str(error).startswith(_LACKING)
    return False


@cache
def _decoder() -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(type_with_defaults(spec_schema()))


def type_with_defaults(schema: Schema) -> Any:  # noqa: ANN401 - a type
    """Return the type of the values of *schema* that have all defaults, at any depth; what has none is not decoded.

    msgspec checks a type while it reads, which takes a microsecond.
    """
    if "items" in schema:
        item = type_with_defaults(schema["items"])
        return item if item is msgspec.Raw else list[item]  # type: ignore[valid-type] # made here
    fields: list[Any] = []
    for name, field in schema.get("properties", {}).items():
        kind = type_with_defaults(field)
        if "default" in field:
            fields.append((name, kind))
        elif kind is not msgspec.Raw:
            fields.append((name, kind | msgspec.UnsetType, msgspec.UNSET))
    return msgspec.defstruct("WithDefaults", fields, kw_only=True) if fields else msgspec.Raw
