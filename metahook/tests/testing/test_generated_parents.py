"""Parents that are generated from a CRD. tests/e2e/test_generated_parents.py creates them on an API server."""

from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

from metahook.simulator.apiserver.custom_rules import fits, python_pattern
from metahook.testing import NotGenerated, parents
from toolkit.crds import CRDS, EVERY_RULE, EVERY_TYPE, schema
from toolkit.every_type import EveryType
from toolkit.slow import short_or_whole

QUICK = settings(max_examples=short_or_whole(5, 50), suppress_health_check=list(HealthCheck), phases=[Phase.generate])


def json_schema(node: Any) -> Any:
    """Return *node* of a structural schema as JSON schema, draft 4: null is a type, and a default is not required."""
    if isinstance(node, list):
        return [json_schema(each) for each in node]
    if not isinstance(node, dict):
        return node
    made = {name: json_schema(value) for name, value in node.items()}
    if isinstance(node.get("pattern"), str):
        made["pattern"] = python_pattern(node["pattern"])
    if node.get("nullable") is True:
        made["type"] = [node["type"], "null"]
    if isinstance(node.get("required"), list):
        made["required"] = [
            name for name in node["required"] if "default" not in node.get("properties", {}).get(name, {})
        ]
    return {name: value for name, value in made.items() if value != [] or name != "required"}


@pytest.mark.parametrize("name", CRDS)
def test_each_generated_parent_meets_the_schema_of_its_crd(name: str) -> None:
    validator = jsonschema.Draft4Validator(json_schema(schema(CRDS[name])))

    @QUICK
    @given(parents(CRDS[name]))
    def check(parent: dict[str, Any]) -> None:
        validator.validate(parent)
        assert list(parent)[:3] == ["apiVersion", "kind", "metadata"]
        assert msgspec.json.encode(parent)

    check()


@QUICK
@given(parents(EVERY_TYPE))
def test_a_hook_reads_each_parent_that_is_generated_from_its_structs(parent: dict[str, Any]) -> None:
    msgspec.json.decode(msgspec.json.encode(parent["spec"]), type=EveryType)


def generated(strategy: st.SearchStrategy[Any], count: int = 1) -> list[Any]:
    """Return *count* examples of *strategy*."""
    found: list[Any] = []

    @settings(QUICK, max_examples=count)
    @given(strategy)
    def collect(value: Any) -> None:
        found.append(value)

    collect()
    return found


def test_a_parent_has_each_field_in_some_example() -> None:
    seen = {field for parent in generated(parents(EVERY_RULE), 30) for field in parent["spec"]}

    assert seen == schema(EVERY_RULE)["properties"]["spec"]["properties"].keys()


def with_spec(**field: Any) -> dict[str, Any]:
    """Return a CRD whose spec has one *field*."""
    version = {"name": "v1", "storage": True, "schema": {"openAPIV3Schema": {"properties": {"spec": field}}}}
    return {"spec": {"group": "example.com", "names": {"kind": "It"}, "versions": [version]}}


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ({"type": "string", "format": "isbn"}, ".spec: can't generate strings of the format isbn"),
        ({"type": "array", "items": {"type": "string", "pattern": r"\p{L}"}}, r".spec\[\]: can't generate .* pattern"),
    ],
)
def test_what_cannot_be_generated_is_named(field: dict[str, Any], message: str) -> None:
    with pytest.raises(NotGenerated, match=message):
        parents(with_spec(**field)).validate()


def test_another_version_is_generated_if_it_is_named() -> None:
    (parent,) = generated(parents(EVERY_RULE, "v1alpha1"))

    assert parent["apiVersion"] == "example.com/v1alpha1"


@pytest.mark.parametrize(("field", "value"), [("text", "a"), ("even", 21), ("bounded", {}), ("all", "aaa")])
def test_the_validator_notices_a_parent_that_breaks_a_rule(field: str, value: object) -> None:
    (parent,) = generated(parents(EVERY_RULE))
    parent["spec"][field] = value

    assert not jsonschema.Draft4Validator(json_schema(schema(EVERY_RULE))).is_valid(parent)


@pytest.mark.parametrize(
    ("pattern", "text", "is_match"),
    [
        ("^a$", "a\n", False),
        (r"^a\z", "a", True),
        ("^[$]$", "$", True),
        (r"^\$$", "$", True),
        (r"^[^\x{fffe}]$", "\ufffe", False),
        ("^[[:digit:]]$", "5", True),
        (r"^\d$", "\u0661", False),
        (r"^[]$]$", "$", True),
        (r"^\s$", "\v", False),
        (r"^[\s]$", "\v", False),
        ("^[[:space:]]$", "\v", True),
    ],
)
def test_a_pattern_is_read_as_an_api_server_reads_it(pattern: str, text: str, *, is_match: bool) -> None:
    assert fits(text, {"pattern": pattern}) == is_match
