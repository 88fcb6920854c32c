from typing import Any

import pytest

from app.core.drift import difference

A = {"name": "A", "value": "1"}


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
        pytest.param(
            [{"port": 53, "protocol": "TCP"}],
            [{"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}],
            id="another protocol of a port, after ours",
        ),
        pytest.param(
            [{"port": 53, "protocol": "TCP"}],
            [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "TCP"}],
            id="another protocol of a port, before ours",
        ),
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
        pytest.param(
            {"p": [{"port": 53, "protocol": "TCP"}]},
            {"p": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "SCTP"}]},
            "spec.p[53].protocol",
            id="only other protocols of a port",
        ),
        pytest.param(
            {"p": [{"port": 53, "protocol": "TCP", "targetPort": 1}]},
            {"p": [{"port": 53, "protocol": "TCP", "targetPort": 2}, {"port": 53, "protocol": "UDP"}]},
            "spec.p[53].targetPort",
            id="another value beside another protocol",
        ),
        pytest.param(
            {"env": [A]}, {"env": [A, {**A, "value": "2"}]}, "spec.env[A].value", id="a variable again, which wins"
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


B = {"name": "B", "value": "$(A) $(ELSEWHERE)"}
C = {"name": "C", "value": "2"}


@pytest.mark.parametrize(
    ("wanted", "seen", "path"),
    [
        pytest.param([A, B], [B, A], "spec.env", id="used too early"),
        pytest.param([B, A], [A, B], "spec.env", id="used though it should not be"),
        pytest.param([A, B], [A, {"name": "X"}, B], None, id="others between"),
        pytest.param([C, A, B], [A, B, C], None, id="the order of others"),
    ],
)
def test_a_variable_stays_on_its_side_of_one_that_it_uses(wanted: Any, seen: Any, path: str | None) -> None:
    assert difference({"env": wanted}, {"env": seen}, "spec") == path


@pytest.mark.parametrize(
    ("value", "is_use"),
    [
        ("$(A)", True),
        ("x$(A)y", True),
        ("$$$(A)", True),
        ("$x$(A)", True),
        ("$(B$(A)", False),
        ("$$(A)", False),
        ("$$$$(A)", False),
        ("$(A", False),
        ("$(A $(", False),
        ("$((A)", False),
        ("$(A))", True),
        ("$()$(A)", True),
        ("\n$\n$(A)", True),
        ("$(\nA)", False),
        ("A) $(", False),
        ("$", False),
        ("", False),
    ],
)
def test_a_reference_is_what_kubernetes_expands(value: str, *, is_use: bool) -> None:
    user = {"name": "USER", "value": value}

    found = difference({"env": [A, user]}, {"env": [user, A]}, "spec")

    assert found == ("spec.env" if is_use else None)
