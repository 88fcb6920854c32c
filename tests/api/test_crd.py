"""The CRD as a whole: what the API server, kubectl and its users need of it."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
import pytest
import yaml
from celpy.evaluation import CELEvalError, function_matches
from pydantic import AnyUrl, BaseModel, ConfigDict, Field, SecretStr, create_model

from app.api.crd import COLUMNS, crd, structural
from app.api.model import Model, Rule
from app.api.rollouts import NOT_ITSELF
from tests.api.apiserver import SCHEMA, Node, nodes, read_stored, refusals, stored
from tests.api.examples.scheduling import REQUIRED
from tests.requests.builders import Json, my_resource

COMMITTED = Path("crds/mygroup.example.com_myresources.yaml")
READ = Path("app/api/crd.json")
NODES = {node.path: node.schema for node in nodes(SCHEMA)}
VERSION = crd()["spec"]["versions"][0]
BUILT_IN = {".metadata.creationTimestamp"}


def _node(json_path: str) -> Json:
    """Return the schema at a path as kubectl and the scale subresource write it."""
    return NODES[re.sub(r"\[[^]]*\]", "[]", json_path).removeprefix(".")]


def test_the_committed_crd_is_the_one_that_the_models_make() -> None:
    assert yaml.safe_load(COMMITTED.read_text(encoding="utf-8")) == crd(), "run make generate, and look at the diff"
    assert json.loads(READ.read_text(encoding="utf-8")) == crd(), "run make generate"


def test_the_crd_fits_into_the_annotation_of_kubectl_apply() -> None:
    assert len(json.dumps(crd())) < 200 * 1024


def test_the_paths_of_the_scale_subresource_are_in_the_schema() -> None:
    assert {path: _node(at)["type"] for path, at in VERSION["subresources"]["scale"].items()} == {
        "specReplicasPath": "integer",
        "statusReplicasPath": "integer",
        "labelSelectorPath": "string",
    }


@pytest.mark.parametrize("column", [pytest.param(column, id=column["name"]) for column in COLUMNS])
def test_a_printer_column_shows_a_field_of_the_schema_by_its_type(column: Json) -> None:
    path = column["jsonPath"]
    shown = "date" if path in BUILT_IN else _node(path).get("type", "string")  # int-or-string must be shown as string

    assert column["type"] == shown


@pytest.mark.parametrize("path", [path for path, node in NODES.items() if "default" in node])
def test_a_default_obeys_its_own_schema_and_rules(path: str) -> None:
    assert refusals(NODES[path]["default"], NODES[path]) == []


@pytest.mark.parametrize("fields", [{}, {"ports": [{"containerPort": 80}]}, {"service": {}}], ids=str)
def test_the_hook_has_the_defaults_of_the_crd(fields: Json) -> None:
    assert read_stored(my_resource(**fields)) == read_stored(stored(my_resource(**fields)))


UNOFFERED = {
    "spec": {"hostNetwork", "hostPID", "hostIPC", "securityContext", "automountServiceAccountToken"},
    "spec.livenessProbe": {"successThreshold"},
    "spec.readinessProbe": {"terminationGracePeriodSeconds"},
    "spec.env[].valueFrom.resourceFieldRef": {"containerName"},
    "spec.volumes[]": {"hostPath"},
    "spec.ports[]": {"hostPort", "hostIP"},
    "spec.lifecycle.preStop.httpGet": {"host"},
    "spec.livenessProbe.httpGet": {"host"},
    "spec.envFrom[].secretRef": {"namespace"},
    f"spec.affinity.podAffinity.{REQUIRED}[]": {"namespaces", "namespaceSelector"},
}
"""Fields of a Pod that a MyResource does not have: test_canonical.py has what becomes of unknown fields."""


@pytest.mark.parametrize("path", UNOFFERED)
def test_what_a_myresource_must_not_offer_is_not_in_the_schema(path: str) -> None:
    assert UNOFFERED[path] & NODES[path]["properties"].keys() == set()


def test_no_list_in_the_schema_is_empty_as_the_api_server_would_drop_it() -> None:
    def empty(node: object) -> bool:
        inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        return node == [] or any(map(empty, inner))

    assert not empty(VERSION["schema"])
    assert empty({"a": [{"b": []}]})


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


class Part(Model):
    """A part."""

    number: int = 0
    """How many."""

    rules = (Rule("must have a number", lambda part: part.number > 0, cel="has(self.number)"),)


class Colour(Enum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


def field(annotation: Any, *, default: Any = ...) -> dict[str, Any]:
    """Return the structural schema of a model's only field."""
    made = create_model("Made", field=(annotation, Field(default=default)))
    (schema,) = structural(made)["properties"].values()
    return dict(schema)


class Tree(BaseModel):
    """A tree."""

    branches: list["Tree"]


class Hen(BaseModel):
    """Lays eggs."""

    eggs: list["Egg"]


class Egg(BaseModel):
    """Becomes a hen."""

    hen: Hen | None


class Closed(BaseModel):
    """Refuses what it does not know."""

    model_config = ConfigDict(extra="forbid")
    number: int


@pytest.mark.parametrize("model", [Tree, Hen, Egg], ids=str)
def test_a_model_that_contains_itself_raises(model: type[BaseModel]) -> None:
    with pytest.raises(ValueError, match="contains itself"):
        structural(model)


@pytest.mark.parametrize(
    "annotation",
    [
        set[int], frozenset[str], tuple[int, str], Decimal, bytes, AnyUrl, timedelta, pydantic.Json[int], SecretStr,
        Any,
        dict[str, Any], list[Any], Closed, Part | Colour, int | bool, str | int, int | str | bool, Literal["a", 1],
        Annotated[int, Field(gt=0)],
        Annotated[int, Field(multiple_of=2)],
        Annotated[int, Field(examples=[1])],
        Annotated[int, Field(deprecated=True)],
        Annotated[str, Field(json_schema_extra={"format": "uri"})],
        Annotated[str, Field(json_schema_extra={"format": "float"})],
        Annotated[str, Field(json_schema_extra={"readOnly": True})],
        Annotated[str, Field(json_schema_extra={"x-kubernetes-unheard-of": True})],
        dict[Annotated[str, Field(pattern="^a$")], int],
        dict[Annotated[str, Field(max_length=2)], int],
        None,
    ],
    ids=str,
)  # fmt: skip
def test_what_a_crd_cannot_say_raises(annotation: Any) -> None:
    with pytest.raises(ValueError, match="CRD"):
        field(annotation)


def test_a_discriminated_union_raises() -> None:
    class Cat(BaseModel):
        kind: Literal["cat"]

    class Dog(BaseModel):
        kind: Literal["dog"]

    with pytest.raises(ValueError, match="CRD"):
        field(Annotated[Cat | Dog, Field(discriminator="kind")])


def test_a_default_with_a_null_in_it_raises() -> None:
    class Whole(BaseModel):
        maybe: int | None = None

    with pytest.raises(ValueError, match="null"):
        field(Whole, default=Whole())
