"""The API server adds the defaults of a CRD's schema to its objects."""

from typing import Any

import pytest

from metahook.simulator import Key, Mode, Settings, World
from metahook.simulator.apiserver.custom_rules import with_defaults
from toolkit.worlds import Answers, Json, both_modes

V2 = {"version": "v2"}
SIZE = {"type": "integer", "default": 3}
ITEM = {"type": "object", "properties": {"size": SIZE}}
SPEC: Json = {
    "type": "object",
    "properties": {
        "size": SIZE,
        "word": {"type": "string"},
        "nullable": {"type": "integer", "default": 1, "nullable": True},
        "made": {"default": {}, **ITEM},
        "one": ITEM,
        "list": {"type": "array", "items": ITEM},
        "map": {"type": "object", "additionalProperties": ITEM},
        "open": {"type": "object", "additionalProperties": True},
    },
}
ADDED = {"size": 3, "nullable": 1, "made": {"size": 3}}


def crd(spec: Json) -> Json:
    status = {"type": "object", "properties": {"size": SIZE}, "default": {}}
    schema = {"type": "object", "properties": {"spec": spec, "status": status}}
    names = {"kind": "Thing", "plural": "things"}
    versions = [{"name": "v1", "schema": {"openAPIV3Schema": schema}}, {"name": "v2"}]
    return {"spec": {"group": "example.com", "names": names, "versions": versions}}


def composite() -> Json:
    parent = {"apiVersion": "example.com/v1", "resource": "things"}
    return {"spec": {"generateSelector": True, "parentResource": parent, "hooks": {"sync": V2}}}


def thing(version: str = "v1", **spec: Any) -> Json:
    return {"apiVersion": f"example.com/{version}", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec}


def stored(item: Json, mode: Mode = "dynamic-apply", spec: Json = SPEC) -> World:
    made = World(Answers(), Settings.read(composite(), [crd(spec)], mode))
    made.apply(item)
    made.until_quiet()
    return made


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param({}, ADDED, id="absent"),
        pytest.param({"size": 0, "word": "x"}, {**ADDED, "size": 0, "word": "x"}, id="set"),
        pytest.param({"size": None, "nullable": None}, {**ADDED, "nullable": None}, id="null"),
        pytest.param({"one": {}}, {**ADDED, "one": {"size": 3}}, id="in an object"),
        pytest.param({"list": [{}, {"size": 1}]}, {**ADDED, "list": [{"size": 3}, {"size": 1}]}, id="in a list"),
        pytest.param({"map": {"a": {}}}, {**ADDED, "map": {"a": {"size": 3}}}, id="in a map"),
        pytest.param({"open": {"a": {}}}, {**ADDED, "open": {"a": {}}}, id="in a map of anything"),
        pytest.param({"one": "wrong"}, {**ADDED, "one": "wrong"}, id="wrong type"),
        pytest.param({"unknown": {}}, {**ADDED, "unknown": {}}, id="unknown"),
    ],
)
def test_absent_fields_get_their_defaults(spec: Json, expected: Json) -> None:
    assert with_defaults(spec, SPEC) == expected


@both_modes
def test_a_parent_gets_the_defaults_of_its_crd_at_each_write(mode: Mode) -> None:
    made = stored(thing(), mode)
    assert made.parent("a")["spec"] == ADDED
    assert "size" not in made.parent("a").get("status", {})

    made.edit(Key("Thing", "default", "a"), lambda item: item.update(spec={"size": 5}))

    assert made.parent("a")["spec"] == {**ADDED, "size": 5}
    assert made.parent("a")["metadata"]["generation"] == 2


@pytest.mark.parametrize("item", [thing("v2"), {**thing(), "kind": "Other"}], ids=["another version", "another kind"])
def test_other_objects_get_no_defaults(item: Json) -> None:
    assert stored(item).get(Key(item["kind"], "default", "a"))["spec"] == {}


def test_a_default_is_not_shared_between_objects() -> None:
    first = with_defaults({}, SPEC)
    first["made"]["size"] = 9

    assert with_defaults({}, SPEC) == ADDED
