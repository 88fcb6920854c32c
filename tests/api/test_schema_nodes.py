"""Every node of the CRD's schema is free of faults: the API server and users can read it, not only a validator."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from celpy.evaluation import CELEvalError, function_matches

from app.api.rollouts import NOT_ITSELF
from tests.api.apiserver import SCHEMA, Node, nodes

INT_OR_STRING = "x-kubernetes-int-or-string"
ALLOWED = {
    "type", "description", "default", "enum", "format", "pattern", "required", "properties", "items",
    "additionalProperties", "minimum", "maximum", "maxLength", "minItems", "maxItems", "maxProperties",
    "x-kubernetes-validations", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", INT_OR_STRING,
}  # fmt: skip
TYPES = {"object", "array", "string", "integer", "boolean"}
CHECKED_BY_THE_API_SERVER = {"apiVersion", "kind", "metadata"}


def _kind(node: Node) -> Any:
    return node.schema.get("type")


def _text(node: Node) -> str:
    return str(node.schema.get("description", ""))


def _is_property(node: Node) -> bool:
    return bool(node.path) and not node.path.endswith(("[]", "{}")) and node.path != "metadata"


def _patterns(node: Node) -> list[str]:
    quoted = [pattern for rule in node.rules() for pattern in re.findall(r"\.matches\('(.*?)'\)", rule["rule"])]
    return [*quoted, *([node.schema["pattern"]] if "pattern" in node.schema else [])]


def _is_re2(pattern: str) -> bool:
    return not isinstance(function_matches("", pattern), CELEvalError)


def _lacks(*keywords: str) -> Callable[[Node], bool]:
    return lambda node: not set(keywords) <= set(node.schema)


def _has_loose_key(node: Node) -> bool:
    keys, item = node.schema.get("x-kubernetes-list-map-keys", []), node.schema.get("items", {})
    return any(key not in item.get("required", []) and "default" not in item["properties"][key] for key in keys)


def _hides_default(node: Node) -> bool:
    default = node.schema.get("default", {})
    return default != {} and not ("default" in _text(node) and str(default) in _text(node))


FAULTS: dict[str, Callable[[Node], object]] = {
    "has a keyword that is not structural": lambda node: set(node.schema) - ALLOWED,
    "is neither typed nor int-or-string": lambda node: (_kind(node) in TYPES) is (INT_OR_STRING in node.schema),
    "is an array without items or bound": lambda node: _kind(node) == "array" and _lacks("items", "maxItems")(node),
    "is a map without a bound": lambda node: "additionalProperties" in node.schema and _lacks("maxProperties")(node),
    "is an object of which nothing is known, or a map as well": lambda node: (
        _kind(node) == "object" and _lacks("properties")(node) is _lacks("additionalProperties")(node)
    ),
    "is a string without a bound": lambda node: (
        _kind(node) == "string"
        and node.path not in CHECKED_BY_THE_API_SERVER
        and not {"maxLength", "enum", "format"} & set(node.schema)
    ),
    "is a number without a minimum": lambda node: (
        _kind(node) == "integer"
        and node.path != "status.observedGeneration"  # which Metacontroller writes
        and _lacks("minimum")(node)
    ),
    "is int-or-string without bounds": lambda node: (
        INT_OR_STRING in node.schema and _lacks("minimum", "maximum", "maxLength")(node)
    ),
    "is a list-map whose keys may be missing": _has_loose_key,
    "is a property whose description is no sentence": lambda node: (
        _is_property(node) and not re.fullmatch(r"[A-Z][^\n]*[.]", _text(node))
    ),
    "is int-or-string, which kubectl explain can't show, and does not say what to write": lambda node: (
        INT_OR_STRING in node.schema
        and _is_property(node)
        and not {"Quantity", "Number"} & set(re.findall("[A-Z][a-z]+", _text(node)))
    ),
    "does not tell its default": _hides_default,
    "has a pattern that is not RE2": lambda node: not all(map(_is_re2, _patterns(node))),
    "has a class in a pattern that RE2 and Rust read differently": lambda node: re.search(
        r"\\[dwsb]", "".join(_patterns(node)), re.IGNORECASE
    ),
    "has a pattern that is not anchored": lambda node: (
        not all(re.fullmatch(r"\^.*\$", pattern) for pattern in _patterns(node))
    ),
    "has a rule without a message": lambda node: not all("message" in rule for rule in node.rules()),
    "has a rule at the root, of an older field, which would block status writes of older objects": lambda node: (
        node.path == "" and node.rules() not in ([], NOT_ITSELF.crd())
    ),
    "says more of metadata than the API server allows": lambda node: (
        node.path == "metadata"
        and (set(node.schema) != {"type", "properties"} or set(node.schema["properties"]) - {"name", "generateName"})
    ),
    "closes the words of the status, which is refused whole when it breaks its schema": lambda node: (
        node.path.startswith("status") and "enum" in node.schema
    ),
}
"""How each is found."""


@pytest.mark.parametrize("fault", FAULTS)
def test_no_node(fault: str) -> None:
    assert [node.path for node in nodes(SCHEMA) if FAULTS[fault](node)] == []


def test_a_fault_would_be_found() -> None:
    odd = Node("spec.x", {"anyOf": [], "pattern": "a", "description": "a word"})

    assert len([fault for fault in FAULTS if FAULTS[fault](odd)]) == 4
