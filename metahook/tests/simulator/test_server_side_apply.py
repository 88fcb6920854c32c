"""Server-side apply: field ownership, and the fields that an apply removes."""

from typing import Any

import pytest

from metahook.simulator.apiserver.server_side_apply import apply, fields, still_owned

Json = dict[str, Any]


@pytest.mark.parametrize(
    ("live", "last", "desired", "applied"),
    [
        pytest.param({"a": 1, "b": 2}, {}, {"a": 3}, {"a": 3, "b": 2}, id="what-is-not-mentioned-stays"),
        pytest.param({"a": 1, "b": 2}, {"a": 1}, {}, {"b": 2}, id="what-was-applied-and-is-not-goes"),
        pytest.param(
            {"labels": {"a": "1", "b": "2"}},
            {"labels": {"a": "1"}},
            {},
            {"labels": {"b": "2"}},
            id="others-labels-stay",
        ),
        pytest.param(
            {"env": [{"name": "A"}, {"name": "B"}]},
            {"env": [{"name": "A"}]},
            {},
            {"env": [{"name": "B"}]},
            id="others-variables-stay",
        ),
        pytest.param(
            {"env": [{"name": "A"}, {"name": "B"}]},
            {"env": [{"name": "A"}, {"name": "B"}]},
            {"env": [{"name": "B"}, {"name": "A"}]},
            {"env": [{"name": "B"}, {"name": "A"}]},
            id="the-order-follows",
        ),
        pytest.param(
            {"containers": [{"name": "proxy"}, {"name": "main", "image": "a"}]},
            {"containers": [{"name": "main", "image": "a"}]},
            {"containers": [{"name": "main", "image": "b"}]},
            {"containers": [{"name": "proxy"}, {"name": "main", "image": "b"}]},
            id="a-sidecar-stays",
        ),
        pytest.param(
            {"tolerations": [{"key": "a"}, {"key": "b"}]},
            {},
            {"tolerations": [{"key": "b"}]},
            {"tolerations": [{"key": "b"}]},
            id="an-atomic-list-is-replaced",
        ),
        pytest.param(
            {"selector": {"app": "x"}},
            {},
            {"selector": {"widget": "web"}},
            {"selector": {"widget": "web"}},
            id="an-atomic-map-is-replaced",
        ),
        pytest.param(
            {"ports": [{"port": 53, "protocol": "TCP"}]},
            {},
            {"ports": [{"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}]},
            {"ports": [{"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}]},
            id="two-protocols-are-two-ports",
        ),
    ],
)
def test_an_apply_by_force(live: Json, last: Json, desired: Json, applied: Json) -> None:
    assert apply(live, last, desired) == applied


@pytest.mark.parametrize(
    ("applied", "live", "owned"),
    [
        pytest.param({"replicas": 1, "paused": True}, {"replicas": 7, "paused": True}, {"paused": True}, id="changed"),
        pytest.param({"labels": {"a": "1", "b": "2"}}, {"labels": {"b": "2"}}, {"labels": {"b": "2"}}, id="removed"),
        pytest.param(
            {"env": [{"name": "A", "value": "1"}]},
            {"env": [{"name": "A", "value": "2"}]},
            {"env": [{"name": "A"}]},
            id="changed-in-a-list",
        ),
        pytest.param({"env": [{"name": "A"}], "a": 1}, {"env": [], "a": 1}, {"a": 1}, id="removed-from-a-list"),
    ],
)
def test_a_changed_field_belongs_to_the_manager_that_changed_it(applied: Json, live: Json, owned: Json) -> None:
    assert still_owned(applied, live) == owned


def test_fields_are_written_as_fieldsv1() -> None:
    applied = {"replicas": 1, "ports": [{"port": 80, "name": "a"}], "imagePullSecrets": [{"name": "s"}], "args": ["a"]}

    assert fields(applied) == {
        "f:replicas": {},
        "f:ports": {'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:port": {}, "f:name": {}}},
        "f:imagePullSecrets": {'k:{"name":"s"}': {}},
        "f:args": {},
    }
