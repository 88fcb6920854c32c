"""Changes: where two JSON values differ, as paths."""

from typing import Any

import pytest
from msgspec import UNSET

from metahook.protocol.objects import Change, changed_paths, changes

KEYS = ("name", "port")


@pytest.mark.parametrize(
    ("old", "new", "paths"),
    [
        pytest.param({"a": 1}, {"a": 1}, [], id="the same"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 2}}, ["a.b"], id="the deepest path"),
        pytest.param({"a": {"b": 1}}, {"a": 1}, ["a"], id="of another type"),
        pytest.param({"a": 1}, {"a": True}, ["a"], id="true is not 1"),
        pytest.param({"a": None}, {}, ["a"], id="null is not absent"),
        pytest.param({"x/y": {"a": 1}}, {"x/y": {}}, ["[x/y].a"], id="a name that is no word"),
        pytest.param({"a": [1, 2]}, {"a": [1, 3]}, ["a[1]"], id="an item by its index"),
        pytest.param({"a": [1]}, {"a": [1, 2]}, ["a"], id="a list of another length"),
        pytest.param({"a": [{"name": "x"}]}, {"a": [{"name": "y"}]}, ["a[0].name"], id="without keys"),
    ],
)
def test_paths_name_the_values_that_differ(old: Any, new: Any, paths: list[str]) -> None:
    assert changed_paths(old, new, "") == paths


@pytest.mark.parametrize(
    ("old", "new", "paths"),
    [
        pytest.param([{"name": "x", "v": 1}], [{"name": "x", "v": 2}], ["l[x].v"], id="changed"),
        pytest.param([{"name": "x"}], [{"name": "w"}, {"name": "x"}], ["l[w]"], id="another one before it"),
        pytest.param([{"name": "x"}], [], ["l[x]"], id="gone"),
        pytest.param([{"name": "x"}, {"name": "y"}], [{"name": "y"}, {"name": "x"}], ["l"], id="in another order"),
        pytest.param([{"port": 80, "v": 1}], [{"port": 80, "v": 2}], ["l[80].v"], id="by the next key"),
        pytest.param([{"name": "x"}] * 2, [{"name": "x"}], ["l"], id="a key twice identifies nothing"),
        pytest.param([{"name": ["x"]}], [{"name": "x"}], ["l[0].name"], id="a list is no key"),
        pytest.param(["x"], ["y"], ["l[0]"], id="not of objects"),
        pytest.param([{"name": "x", "l": [{"name": "y"}]}], [{"name": "x", "l": []}], ["l[x].l[y]"], id="nested"),
        pytest.param([], [], [], id="empty"),
    ],
)
def test_with_keys_an_item_is_named_by_its_key(old: Any, new: Any, paths: list[str]) -> None:
    assert changed_paths({"l": old}, {"l": new}, "", keys=KEYS) == paths


def test_a_change_has_both_values() -> None:
    assert list(changes({"a": 1, "b": 2}, {"b": 3, "c": None}, "status")) == [
        Change("status.a", 1, UNSET),
        Change("status.b", 2, 3),
        Change("status.c", UNSET, None),
    ]
