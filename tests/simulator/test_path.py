"""Paths: what leads where, and what is no path."""

from typing import Any

import pytest

from metahook.simulator.path import BadPath, NoSuchPlace, look_up, put, steps


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("spec", ["spec"]),
        ("spec.replicas", ["spec", "replicas"]),
        ("spec.containers[0].image", ["spec", "containers", 0, "image"]),
        ("metadata.labels['a.b/c']", ["metadata", "labels", "a.b/c"]),
        ("a[1][2]", ["a", 1, 2]),
    ],
)
def test_a_path_has_steps(path: str, found: list[str | int]) -> None:
    assert steps(path) == found


@pytest.mark.parametrize("path", ["", ".", "a..b", "a[", "a[x]", "a['b", "a.[", "a]b", "a[-1]"])
def test_what_is_no_path_is_refused_with_an_example(path: str) -> None:
    with pytest.raises(BadPath, match="write it as"):
        steps(path)


@pytest.mark.parametrize(
    ("path", "value"),
    [("a.b", 1), ("list[1].c", 3), ("list[2]", None), ("a.missing", None), ("a.b.c", None), ("none.at.all", None)],
)
def test_looking_up_what_is_not_there_gives_none(path: str, value: object) -> None:
    assert look_up({"a": {"b": 1}, "list": [{}, {"c": 3}]}, path) == value


@pytest.mark.parametrize(
    ("path", "value", "after"),
    [
        ("a.b", 2, {"a": {"b": 2}, "list": [1, 2]}),
        ("a.b", None, {"a": {}, "list": [1, 2]}),
        ("a.c", None, {"a": {"b": 1}, "list": [1, 2]}),
        ("new.way.there", "x", {"a": {"b": 1}, "list": [1, 2], "new": {"way": {"there": "x"}}}),
        ("list[0]", 9, {"a": {"b": 1}, "list": [9, 2]}),
    ],
)
def test_putting_a_value_makes_the_way_to_it(path: str, value: object, after: dict[str, Any]) -> None:
    item: dict[str, Any] = {"a": {"b": 1}, "list": [1, 2]}

    put(item, path, value)

    assert item == after


@pytest.mark.parametrize("path", ["a.b.c", "list.first", "a[0]", "list[5]", "list[0].x", "a.b[0].c"])
def test_where_something_else_is_nothing_can_be_put(path: str) -> None:
    with pytest.raises(NoSuchPlace):
        put({"a": {"b": 1}, "list": [1, 2]}, path, 1)
