from typing import Any

import pytest

from app.core.gap import difference


@pytest.mark.parametrize(
    ("wanted", "seen"),
    [
        pytest.param({"a": 1}, {"a": 1, "b": 2}, id="what others added is theirs"),
        pytest.param({"a": {}}, {"a": {"b": 1}}, id="an empty object asks for nothing"),
        pytest.param([{"name": "main", "x": 1}], [{"name": "sidecar"}, {"name": "main", "x": 1}], id="by name"),
        pytest.param(
            [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
            [{"name": "B", "value": "2"}, {"name": "A", "value": "1"}],
            id="named items in another order",
        ),
        pytest.param([{"port": 80}], [{"port": 80, "nodePort": 30000}], id="by port"),
        pytest.param([{"key": "a"}], [{"key": "a", "operator": "Equal"}], id="by place"),
        pytest.param(["a", "b"], ["a", "b"], id="plain items"),
        pytest.param([], [], id="empty lists"),
    ],
)
def test_no_difference(wanted: Any, seen: Any) -> None:
    assert difference(wanted, seen, "spec") is None


@pytest.mark.parametrize(
    ("wanted", "seen", "path"),
    [
        pytest.param({"replicas": 3}, {"replicas": 7}, "spec.replicas", id="another value"),
        pytest.param({"replicas": 3}, {}, "spec.replicas", id="no value"),
        pytest.param({"replicas": 3}, None, "spec", id="nothing at all"),
        pytest.param({"a": {"b": 1}}, {"a": "b"}, "spec.a", id="no object"),
        pytest.param({"a": [1]}, {"a": {"0": 1}}, "spec.a", id="no list"),
        pytest.param(
            {"c": [{"name": "main", "x": 1}]}, {"c": [{"name": "main", "x": 2}]}, "spec.c[main].x", id="named"
        ),
        pytest.param({"c": [{"name": "main"}]}, {"c": [{"name": "other"}]}, "spec.c[main]", id="a name is missing"),
        pytest.param({"c": [{"name": "main"}]}, {"c": [{"name": ["main"]}, 5]}, "spec.c[main]", id="odd items"),
        pytest.param({"t": [{"key": "a"}]}, {"t": [{"key": "a"}, {"key": "b"}]}, "spec.t", id="one more, by place"),
        pytest.param({"t": [{"key": "a"}]}, {"t": [{"key": "b"}]}, "spec.t[0].key", id="another, by place"),
        pytest.param({"args": ["a", "b"]}, {"args": ["b", "a"]}, "spec.args[0]", id="plain items in another order"),
        pytest.param({"args": []}, {"args": ["a"]}, "spec.args", id="an empty list means empty"),
        pytest.param({"selector": {"a": "1"}}, {"selector": {"a": "1", "b": "2"}}, "spec.selector", id="a selector"),
    ],
)
def test_the_path_of_the_first_difference(wanted: Any, seen: Any, path: str) -> None:
    assert difference(wanted, seen, "spec") == path


def test_variables_that_use_others_must_stand_behind_them() -> None:
    variables = [{"name": "A", "value": "1"}, {"name": "B", "value": "$(A)"}]

    assert difference({"env": variables}, {"env": variables[::-1]}, "spec") == "spec.env"
    assert difference({"env": variables}, {"env": [variables[0], {"name": "X"}, variables[1]]}, "spec") is None
