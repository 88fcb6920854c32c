"""CEL rules of a CRD: which are broken by a new object, by an update, and by values of each type."""

from typing import Any

import pytest

from metahook.cli.files.cel import unknown_part
from metahook.cli.files.objects import refused, unknown_rules
from metahook.simulator.apiserver.custom_rules import written
from metahook.simulator.objects import Json

INTEGER, STRING = {"type": "integer"}, {"type": "string"}


def ruled(rule: str, field: Json, **more: Any) -> Json:
    """Return a schema with *rule* for the field ``a`` of the spec."""
    named = {**field, "x-kubernetes-validations": [{"rule": rule, "message": "is wrong", **more}]}
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": named}}}}


def thing(**spec: Any) -> Json:
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec}


def found(schema: Json, new: Json, old: Json | None = None) -> list[str]:
    return [f"{written(problem.path)}: {problem.text}" for problem in refused(new, old, schema)]


NUMBERS = {"type": "array", "items": INTEGER}
ESCAPED = {"type": "object", "properties": {"x-y": INTEGER, "if": INTEGER}}
CASES: dict[str, tuple[str, Json, Any, Any]] = {
    "an integer": ("self > 1", INTEGER, 2, 1),
    "a number": ("self > 1.5", {"type": "number"}, 2, 1),
    "a time": (
        "self > timestamp('2026-01-01T00:00:00Z')",
        {**STRING, "format": "date-time"},
        "2026-01-31T12:00:00Z",
        "2025-01-31T12:00:00Z",
    ),
    "a duration": ("self < duration('1h')", {**STRING, "format": "duration"}, "30m", "90m"),
    "bytes": ("self.size() == 2", {**STRING, "format": "byte"}, "aGk=", "aA=="),
    "a name that CEL escapes": (
        "self.x__dash__y == 1 && self.__if__ == 1",
        ESCAPED,
        {"x-y": 1, "if": 1},
        {"x-y": 1, "if": 2},
    ),
    "a map": (
        "self.all(k, k.startsWith('x') && self[k] > 0)",
        {"type": "object", "additionalProperties": INTEGER},
        {"x": 1},
        {"x": 0},
    ),
    "texts": ("self.split('/').size() == 2 && self.replace('a', 'b').upperAscii() == 'B/B'", STRING, "a/b", "a/c"),
    "places in a text": (
        "self.indexOf('l', 3) == 3 && self.lastIndexOf('l', 2) == 2 && self.lastIndexOf('l') == 3",
        STRING,
        "hello",
        "halo",
    ),
    "parts of a text": (
        "self.split(',', 0).size() == 0 && self.split(',', 2) == ['a', 'b,c'] && self.split(',', -1).size() == 3",
        STRING,
        "a,b,c",
        "a,b",
    ),
    "places in a list": ("self.indexOf(2) == 1 && self.lastIndexOf(2) == 2", NUMBERS, [1, 2, 2], [2]),
    "a quantity": ("quantity(self).isLessThan(quantity('1Gi'))", STRING, "512Mi", "2Gi"),
    "a network": ("isCIDR(self)", STRING, "10.0.0.0/8", "10.0.0.0"),
    "an error on the way": (
        "self.b == 1",
        {"type": "object", "properties": {"b": INTEGER}},
        {"b": 1},
        {},
    ),
}


@pytest.mark.parametrize(("rule", "field", "good", "bad"), CASES.values(), ids=CASES)
def test_a_rule_is_for_values_as_their_schema_types_them(rule: str, field: Json, good: Any, bad: Any) -> None:
    schema = ruled(rule, field)

    assert found(schema, thing(a=good)) == []
    assert found(schema, thing(a=bad)) == ["spec.a: is wrong"]
    assert found(schema, thing()) == []


def test_a_value_that_does_not_change_may_break_a_rule() -> None:
    schema = ruled("self > 1", INTEGER)

    assert found(schema, thing(a=1, b=2), thing(a=1)) == []
    assert found(schema, thing(a=0), thing(a=1)) == ["spec.a: is wrong"]


def test_so_may_a_value_in_a_list_that_does_not_change() -> None:
    rule = [{"rule": "self > 1", "message": "is wrong"}]
    schema = ruled("true", {"type": "array", "items": {**INTEGER, "x-kubernetes-validations": rule}})

    assert found(schema, thing(a=[1], b=2), thing(a=[1])) == []
    assert found(schema, thing(a=[1, 2]), thing(a=[1])) == ["spec.a[0]: is wrong"]


def test_a_rule_about_changes_is_for_updates_alone() -> None:
    schema = ruled("self == oldSelf", INTEGER)

    assert found(schema, thing(a=1)) == []
    assert found(schema, thing(a=2), thing(a=1)) == ["spec.a: is wrong"]


def test_items_of_a_list_with_keys_are_compared_by_these() -> None:
    rule = [{"rule": "self.size <= oldSelf.size", "message": "must not grow"}]
    item = {"type": "object", "properties": {"name": STRING, "size": INTEGER}, "x-kubernetes-validations": rule}
    keys = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    schema = ruled("true", {"type": "array", "items": item, **keys})
    old = thing(a=[{"name": "one", "size": 1}, {"name": "two", "size": 2}])

    assert found(schema, thing(a=[{"name": "two", "size": 2}, {"name": "new", "size": 9}]), old) == []
    assert found(schema, thing(a=[{"name": "two", "size": 3}]), old) == ["spec.a[0]: must not grow"]


def test_a_message_may_be_an_expression_and_a_rule_of_the_root_sees_the_name() -> None:
    schema = ruled("self > 1", INTEGER, messageExpression="'must be more than ' + string(self)")
    schema["x-kubernetes-validations"] = [{"rule": "self.metadata.name != self.kind.lowerAscii()", "message": "no"}]

    assert found(schema, thing(a=1)) == ["spec.a: must be more than 1"]
    assert found(schema, {**thing(), "metadata": {"name": "thing"}}) == [": no"]


def test_no_rule_runs_on_an_object_whose_structure_is_wrong() -> None:
    assert found(ruled("self > 1", INTEGER), thing(a="x")) == ["spec.a: must be of type integer"]


def test_a_rule_that_is_not_known_here_counts_as_kept_and_is_named() -> None:
    schema = ruled("self.format() == 'a'", STRING)

    assert found(schema, thing(a="b")) == []
    assert list(unknown_rules(schema)) == ["format"]
    assert unknown_part("self ==") == "self =="
    assert unknown_part("'call(' == self") == ""


@pytest.mark.parametrize("rule", ["self.all(i, v, v > 0)", "self.sum(1) == 1"])
def test_a_form_of_a_function_that_is_not_known_here_refuses_nothing(rule: str) -> None:
    assert found(ruled(rule, NUMBERS), thing(a=[1, 2])) == []
