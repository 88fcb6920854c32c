"""Paths: valid ones, and the values that they lead to."""

from typing import Any

import pytest

from metahook.simulator.scenarios import InvalidPath, PathNotFound, look_up, path_steps, set_value


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
    assert path_steps(path) == found


@pytest.mark.parametrize("path", ["", ".", "a..b", "a[", "a[x]", "a['b", "a.[", "a]b", "a[-1]"])
def test_a_malformed_path_is_refused_with_an_example(path: str) -> None:
    with pytest.raises(InvalidPath, match="write it as"):
        path_steps(path)


@pytest.mark.parametrize(
    ("path", "value"),
    [("a.b", 1), ("list[1].c", 3), ("list[2]", None), ("a.missing", None), ("a.b.c", None), ("none.at.all", None)],
)
def test_looking_up_a_missing_path_returns_none(path: str, value: object) -> None:
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
def test_setting_a_value_creates_the_maps_on_its_path(path: str, value: object, after: dict[str, Any]) -> None:
    item: dict[str, Any] = {"a": {"b": 1}, "list": [1, 2]}

    set_value(item, path, value)

    assert item == after


@pytest.mark.parametrize("path", ["a.b.c", "list.first", "a[0]", "list[5]", "list[0].x", "a.b[0].c"])
def test_a_value_can_not_be_set_below_a_scalar_or_beyond_a_list(path: str) -> None:
    with pytest.raises(PathNotFound):
        set_value({"a": {"b": 1}, "list": [1, 2]}, path, 1)
