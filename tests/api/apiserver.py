"""The two judges of a MyResource: the API server, made here from the CRD alone, and the hook.

A JSON schema validator that knows Kubernetes' own keywords. As on the API server, no rule runs on an object whose
structure is wrong.
"""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from celpy.evaluation import function_matches
from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.validators import create

from app.api.generated_schema import schema
from app.api.reading import InvalidSpec, read
from app.api.spec import MyResourceSpec
from tests.requests.builders import Json
from tests.support.rules import holds

SCHEMA = schema()
RULES = "x-kubernetes-validations"
STOPPING = {"type", "required", "enum", "maxItems", "maxProperties", "maxLength", "x-kubernetes-int-or-string"}
"""Keywords that keep the API server from running any rule."""

_DATE_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9:]{8}([.,][0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})")


@dataclass(frozen=True)
class Node:
    """A node of the schema; *path* is such as ``spec.env[].name``, and ``{}`` stands for a map's values."""

    path: str
    schema: Json

    def rules(self) -> list[Json]:
        """Return the CEL rules of this node."""
        return list(self.schema.get(RULES, []))


def nodes(node: Json, path: str = "") -> Iterator[Node]:
    """Yield all nodes of the schema *node*, itself first."""
    yield Node(path, node)
    for name, sub in node.get("properties", {}).items():
        yield from nodes(sub, f"{path}.{name}".removeprefix("."))
    for keyword, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if keyword in node:
            yield from nodes(node[keyword], path + mark)


def at(path: str, value: Any) -> list[Any]:
    """Return all values at *path*, which is as in :class:`Node`."""
    found = [value]
    for step in re.findall(r"\[\]|\{\}|[^.\[{]+", path):
        if step == "[]":
            found = [item for items in found for item in items]
        elif step == "{}":
            found = [item for entries in found for item in entries.values()]
        else:
            found = [item[step] for item in found if step in item]
    return found


@dataclass(frozen=True)
class Refusal:
    """Why an object is refused: the node of the schema, and the rule's message or the keyword."""

    path: str
    why: str


def stored(resource: Json) -> Json:
    """Return *resource* as the API server stores it: its spec less nulls and unknown fields, plus defaults."""
    return {**resource, "spec": _stored(resource["spec"], SCHEMA["properties"]["spec"])}


def _stored(value: Any, node: Json) -> Any:
    if isinstance(value, list) and "items" in node:
        return [_stored(item, node["items"]) for item in value]
    if isinstance(value, dict) and "additionalProperties" in node:
        return {key: _stored(item, node["additionalProperties"]) for key, item in value.items() if item is not None}
    if not (isinstance(value, dict) and "properties" in node):
        return deepcopy(value)
    subs = node["properties"]
    given = {name: value[name] for name in subs if value.get(name) is not None}
    defaults = {name: sub["default"] for name, sub in subs.items() if "default" in sub}
    return {name: _stored(item, subs[name]) for name, item in {**defaults, **given}.items()}


def refusals(value: Any, node: Json = SCHEMA) -> list[Refusal]:
    """Return why the API server refuses *value*, which is as it would be stored; nothing if it doesn't."""
    found = [_refusal(error) for error in _STRUCTURE(node, format_checker=_FORMATS).iter_errors(value)]
    if any(refusal.why in STOPPING for refusal in found):
        return found
    return found + [_refusal(error) for error in _SENTENCES(node).iter_errors(value)]


def read_stored(resource: Json) -> MyResourceSpec | InvalidSpec:
    """Return what the hook reads from *resource*."""
    return read(resource["metadata"]["name"], json.dumps(resource["spec"]).encode())


def _refusal(error: ValidationError) -> Refusal:
    steps = [str(step) for step in error.absolute_schema_path]
    path = ""
    for before, step in zip(["", *steps], steps, strict=False):
        if before == "properties":
            path = f"{path}.{step}".removeprefix(".")
        elif step in ("items", "additionalProperties"):
            path += "[]" if step == "items" else "{}"
    return Refusal(path, error.message if error.validator == RULES else str(error.validator))


def is_transition(rule: Json) -> bool:
    """Tell whether *rule* is only for a change of a stored object."""
    return "oldSelf" in rule["rule"]


def _matches(_: Any, pattern: str, value: Any, __: Json) -> Iterator[ValidationError]:
    if isinstance(value, str) and not function_matches(value, pattern):
        yield ValidationError(f"does not match {pattern}")


def _int_or_string(_: Any, __: bool, value: Any, ___: Json) -> Iterator[ValidationError]:  # noqa: FBT001 - jsonschema's form
    if isinstance(value, bool) or not isinstance(value, int | str):
        yield ValidationError("is no int or string")


def _list_map(_: Any, keys: list[str], items: Any, __: Json) -> Iterator[ValidationError]:
    made = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    seen = [[item.get(key) for key in keys] for item in made]
    if any(key in seen[:index] for index, key in enumerate(seen)):
        yield ValidationError("has a duplicate")


def _rules(_: Any, rules: list[Json], value: Any, __: Json) -> Iterator[ValidationError]:
    for rule in rules:
        if not is_transition(rule) and not holds(rule["rule"], value):
            yield ValidationError(rule["message"])


_FORMATS = FormatChecker(formats=())


@_FORMATS.checks("date-time")
def _is_date_time(value: object) -> bool:
    return not isinstance(value, str) or _DATE_TIME.fullmatch(value) is not None


_KNOWN: dict[str, Any] = dict(Draft202012Validator.VALIDATORS)
_OWN: dict[str, Any] = {
    "pattern": _matches,
    "x-kubernetes-int-or-string": _int_or_string,
    "x-kubernetes-list-map-keys": _list_map,
}
_BELOW = {keyword: _KNOWN[keyword] for keyword in ("properties", "items", "additionalProperties")}
_STRUCTURE: Any = create(meta_schema={}, validators=_KNOWN | _OWN)
_SENTENCES: Any = create(meta_schema={}, validators=_BELOW | {RULES: _rules})
