"""The API server prunes and refuses the status of a custom resource by the schema of its CRD."""

from typing import Any

import pytest

from metahook.simulator.apiserver.custom_rules import declared, problems
from metahook.simulator.findings import findings
from metahook.simulator.metacontroller.settings import Mode, Settings
from metahook.simulator.objects import Key
from metahook.simulator.world import World
from toolkit.controllers import CONFIG_MAPS, ROOM, Decides, composite, room
from toolkit.worlds import Since, both_modes, events

Json = dict[str, Any]

KEEPS = {"x-kubernetes-preserve-unknown-fields": True}
SIZE = {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}}}
STATUS: Json = {
    "type": "object",
    "properties": {
        "observedGeneration": {"type": "integer"},
        "word": {"type": "string", "enum": ["a", "b"]},
        "one": SIZE,
        "list": {"type": "array", "items": SIZE},
        "map": {"type": "object", "additionalProperties": SIZE},
        "anything": {"type": "object", **KEEPS},
        "either": {"x-kubernetes-int-or-string": True},
        "maybe": {"type": "string", "nullable": True},
        "word of RE2": {"type": "string", "pattern": r"\pL+"},
        "pairs": {"type": "integer", "multipleOf": 2},
        "bounded": {"anyOf": [{"maximum": 1}, {"minimum": 9}]},
    },
}


@pytest.mark.parametrize(
    ("status", "kept", "found"),
    [
        pytest.param({"word": "a", "other": 1}, {"word": "a"}, [], id="an undeclared field"),
        pytest.param({"one": {"size": 1.0, "x": 1}}, {"one": {"size": 1}}, [], id="in an object"),
        pytest.param({"list": [{"size": 1, "x": 1}]}, {"list": [{"size": 1}]}, [], id="in a list"),
        pytest.param({"map": {"a": {"size": 1, "x": 1}}}, {"map": {"a": {"size": 1}}}, [], id="in a map"),
        pytest.param({"anything": {"x": {"y": 1}}}, {"anything": {"x": {"y": 1}}}, [], id="in a field that keeps all"),
        pytest.param({"either": 1, "word": None}, {"either": 1, "word": None}, [], id="either, and null"),
        pytest.param({"one": {}}, {"one": {}}, ["one.size is required"], id="required"),
        pytest.param({"list": [{"size": "1"}]}, None, ["list[0].size must be of type integer"], id="another type"),
        pytest.param({"map": {"a": 1}}, None, ["map.a must be of type object"], id="no object"),
        pytest.param({"word": "c"}, None, ["word must be one of a, b"], id="another word"),
        pytest.param({"maybe": None}, {"maybe": None}, [], id="null where it is allowed"),
        pytest.param({"word of RE2": "\u00e9"}, None, [], id="a pattern that Python can't read"),
        pytest.param({"pairs": 3}, None, ["pairs must be a multiple of 2"], id="no multiple"),
        pytest.param({"bounded": 5}, None, ["bounded must meet one of the rules of anyOf"], id="no branch"),
        pytest.param({"either": []}, None, ["either must be of type integer or string"], id="neither"),
    ],
)
def test_fields_are_pruned_and_refused_by_the_schema(status: Json, kept: Json | None, found: list[str]) -> None:
    assert declared(status, STATUS) == (status if kept is None else kept)
    assert list(map(str, problems(status, STATUS))) == found


def stored(status: Json, schema: Json, mode: Mode = "dynamic-apply") -> World:
    """Return a world with a Room whose hook responds with *status*, given the *schema* of its CRD."""
    (version,) = ROOM["spec"]["versions"]
    crd = {**ROOM, "spec": {**ROOM["spec"], "versions": [{**version, "schema": {"openAPIV3Schema": schema}}]}}
    hook = Decides(sync=lambda _: {"status": status, "children": []})
    made = World(hook, Settings.read(composite("rooms", CONFIG_MAPS), [crd], mode))
    made.apply(room())
    made.run(60)
    return made


@both_modes
def test_a_status_field_that_the_crd_lacks_is_written_in_every_sync(mode: Mode) -> None:
    made = stored({"word": "a", "other": "b"}, {"type": "object", "properties": {"status": STATUS}}, mode)
    done = Since(made)
    for number in range(3):
        made.edit(Key("Room", "default", "a"), lambda it, n=number: it["metadata"].update(labels={"n": str(n)}))  # type: ignore[misc] # a default argument
        made.until_quiet()

    assert made.parent("a")["status"] == {"word": "a", "observedGeneration": 1}
    assert [request for request in done.requests if "update status" in request]
    assert [each.rule for each in findings(made.history)] == []
    made.run(4000)
    assert [each.rule for each in findings(made.history)] == ["NoOpWrites"]


@pytest.mark.parametrize(
    "schema", [KEEPS, {"type": "object", **KEEPS}, {"type": "object", "properties": {"status": KEEPS}}]
)
def test_a_schema_that_keeps_unknown_fields_keeps_the_status(schema: Json) -> None:
    made = stored({"other": 1}, schema)

    assert made.parent("a")["status"] == {"other": 1, "observedGeneration": 1}
    assert findings(made.history) == []


def test_a_schema_without_a_status_drops_it() -> None:
    assert "status" not in stored({"other": 1}, {"type": "object", "properties": {}}).parent("a")


def test_a_refused_status_fails_the_sync() -> None:
    made = stored({"one": {}}, {"type": "object", "properties": {"status": STATUS}})

    assert "status" not in made.parent("a")
    assert "status.one.size is required" in events(made)[0]
