"""Metacontroller's three-way merge, case by case as in its source."""

from typing import Any

import pytest

from metahook.protocol.observed import LAST_APPLIED
from metahook.simulator.metacontroller.children import merge, merged_child, with_last_applied
from metahook.simulator.objects import to_json

Json = dict[str, Any]


@pytest.mark.parametrize(
    ("observed", "last", "desired", "merged"),
    [
        pytest.param({"a": 1, "b": 2}, {}, {"a": 3}, {"a": 3, "b": 2}, id="what-is-not-mentioned-stays"),
        pytest.param({"a": 1, "b": 2}, {"a": 1}, {}, {"b": 2}, id="what-was-mentioned-and-is-not-goes"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 1}}, {"a": "x"}, {"a": {}}, id="another-type-empties"),
        pytest.param({"a": 1}, {}, {"a": {"b": 1}}, {"a": {"b": 1}}, id="a-scalar-is-replaced"),
        pytest.param([1, 2], [1, 2], [2, 1], [2, 1], id="a-list-of-scalars-is-replaced"),
        pytest.param([{"key": "a", "x": 1}], [], [{"key": "a"}], [{"key": "a"}], id="no-common-key-is-replaced"),
        pytest.param([{"name": "a", "x": 1}], [], [{"name": "a"}], [{"name": "a", "x": 1}], id="by-name"),
        pytest.param([{"name": "a"}, {"x": 1}], [], [{"name": "a"}], [{"name": "a"}], id="one-item-without-the-key"),
        pytest.param(
            [{"name": "a"}, {"name": "b"}], [{"name": "a"}], [{"name": "b"}], [{"name": "b"}], id="an-item-goes"
        ),
        pytest.param(
            [{"name": "proxy"}, {"name": "main"}],
            [{"name": "main"}],
            [{"name": "main", "image": "a"}],
            [{"name": "proxy"}, {"name": "main", "image": "a"}],
            id="a-sidecar-stays",
        ),
        pytest.param(
            [{"name": "a"}, {"name": "b"}],
            [{"name": "a"}, {"name": "b"}],
            [{"name": "b"}, {"name": "a"}, {"name": "c"}],
            [{"name": "a"}, {"name": "b"}, {"name": "c"}],
            id="the-observed-order-stays",
        ),
        pytest.param(
            [{"containerPort": 53, "protocol": "TCP"}],
            [],
            [{"containerPort": 53, "protocol": "TCP"}, {"containerPort": 53, "protocol": "UDP"}],
            [{"containerPort": 53, "protocol": "UDP"}],
            id="two-protocols-become-one",
        ),
        pytest.param(
            [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}],
            [],
            [{"name": "A", "value": "2"}],
            [{"name": "A", "value": "2"}, {"name": "A", "value": "2"}],
            id="an-item-that-is-there-twice",
        ),
        pytest.param(
            [{"name": "v", "emptyDir": {}}],
            [{"name": "v", "emptyDir": {}}],
            [{"name": "v", "configMap": {"name": "c"}}],
            [{"name": "v", "configMap": {"name": "c"}}],
            id="another-source-of-a-volume",
        ),
        pytest.param(
            [{"name": "http", "port": 80, "nodePort": 30080}],
            [{"name": "http", "port": 80}],
            [{"name": "web", "port": 80}],
            [{"name": "web", "port": 80, "nodePort": 30080}],
            id="port-before-name",
        ),
    ],
)
def test_three_way_merge(observed: Any, last: Any, desired: Any, merged: Any) -> None:
    assert merge(observed, last, desired) == merged


def _child(**more: Any) -> Json:
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, **more}


def test_dynamic_apply_sets_no_system_fields_and_no_status() -> None:
    observed = with_last_applied(_child(status={"replicas": 1}), _child())
    observed["metadata"] |= {"uid": "a", "resourceVersion": "7"}
    desired = _child(status={"replicas": 9})
    desired["metadata"] |= {"uid": "b", "generation": 3}

    written = merged_child(observed, desired)

    assert written["status"] == {"replicas": 1}
    assert (written["metadata"]["uid"], written["metadata"]["resourceVersion"]) == ("a", "7")
    assert "generation" not in written["metadata"]


def test_the_last_applied_object_is_recorded_whole() -> None:
    written = merged_child(_child(), _child(spec={"replicas": 2}))

    assert written["metadata"]["annotations"][LAST_APPLIED] == to_json(_child(spec={"replicas": 2}))


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (1, True), ("", None)])
def test_values_of_another_type_are_not_equal(one: Any, other: Any) -> None:
    assert to_json({"a": one}) != to_json({"a": other})
