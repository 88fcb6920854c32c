"""Objects: what is read of one, and where two JSON values differ, as paths."""

import json
from typing import Any

import pytest
from msgspec import UNSET

from metahook import Condition, ConfigMap, Deployment, DeploymentStatus, Ingress, Metadata, Object, Pod, Service
from metahook.kinds import ContainerState, ContainerStatus, Terminated
from metahook.protocol.bodies import read
from metahook.protocol.objects import Change, OwnerReference, changed_paths, changes, printable
from toolkit.builders import Json

FULL: Json = {
    "apiVersion": "apps/v1",
    "metadata": {
        "name": "web",
        "namespace": "default",
        "uid": "u",
        "generation": 2,
        "labels": {"a": "b"},
        "annotations": {"c": "d"},
        "ownerReferences": [{"uid": "o", "controller": True, "kind": "Widget"}],
        "deletionTimestamp": "2026-01-31T12:00:00Z",
        "finalizers": [],
    },
    "spec": {"replicas": 1},
    "status": {
        "observedGeneration": 2,
        "replicas": 3,
        "updatedReplicas": 4,
        "availableReplicas": 5,
        "readyReplicas": 6,
        "conditions": [{"type": "Available", "status": "True", "reason": "Enough", "message": "yes"}],
    },
}


def deployment(**fields: object) -> Deployment:
    return read(json.dumps({"metadata": {"name": "web"}, **fields}).encode(), Deployment)


def test_a_deployment_is_read_with_the_fields_that_are_used() -> None:
    assert read(json.dumps(FULL).encode(), Deployment) == Deployment(
        metadata=Metadata(
            name="web",
            namespace="default",
            uid="u",
            generation=2,
            labels={"a": "b"},
            annotations={"c": "d"},
            owner_references=[OwnerReference(uid="o", kind="Widget", controller=True)],
            finalizers=[],
            deletion_timestamp="2026-01-31T12:00:00Z",
        ),
        spec={"replicas": 1},
        status=DeploymentStatus(
            observed_generation=2,
            replicas=3,
            updated_replicas=4,
            ready_replicas=6,
            available_replicas=5,
            conditions=[Condition(type="Available", status="True", reason="Enough", message="yes")],
        ),
    )


def test_null_means_absent() -> None:
    nothing: Json = {"name": "web", "labels": None, "annotations": None, "ownerReferences": None, "generation": None}

    assert deployment(metadata=nothing, spec=None, status=None) == deployment()
    assert deployment(status={"conditions": None, "replicas": None}) == deployment(status={})


def test_labels_and_annotations_are_looked_up_by_key() -> None:
    metadata = Metadata(name="web", labels={"a": "b"}, annotations={"c": "d"})

    assert (metadata.label("a"), metadata.label("c")) == ("b", None)
    assert (metadata.annotation("c"), metadata.annotation("a")) == ("d", None)


def test_without_labels_and_annotations_there_is_none_to_find() -> None:
    metadata = Metadata(name="web")

    assert (metadata.label("a"), metadata.annotation("a")) == (None, None)


def test_only_an_owner_that_controls_is_the_controller() -> None:
    bystander, controller = OwnerReference(uid="one"), OwnerReference(uid="two", controller=True)

    assert Metadata(name="web", owner_references=[bystander, controller]).controller is controller
    assert Metadata(name="web", owner_references=[bystander]).controller is None
    assert not Metadata(name="web", owner_references=[bystander, controller]).has_other_controller("two")
    assert Metadata(name="web", owner_references=[bystander, controller]).has_other_controller("one")
    assert not Metadata(name="web", owner_references=[bystander]).has_other_controller("two")
    assert Metadata(name="web").controller is None


def test_a_condition_is_looked_up_by_type() -> None:
    available = Condition(type="Available", status="True")
    status = DeploymentStatus(conditions=[Condition(type="Progressing", status="True"), available])

    assert status.condition("Available") == available
    assert status.condition("ReplicaFailure") is None
    assert DeploymentStatus().condition("Available") is None


@pytest.mark.parametrize(
    ("kind", "group"),
    [(Deployment, "Deployment.apps/v1"), (Service, "Service.v1"), (ConfigMap, "ConfigMap.v1")],
    ids=["Deployment", "Service", "ConfigMap"],
)
def test_a_group_is_called_as_metacontroller_calls_it(kind: type[Object], group: str) -> None:
    assert kind.KIND.group_key == group


@pytest.mark.parametrize(("api_version", "group"), [("apps/v1", "apps"), ("v1", ""), (None, "")])
def test_an_owner_has_the_group_of_its_api_version(api_version: str | None, group: str) -> None:
    assert OwnerReference(uid="u", api_version=api_version).group == group


@pytest.mark.parametrize(
    ("status", "is_served"),
    [
        (None, False),
        ({}, False),
        ({"loadBalancer": {}}, False),
        ({"loadBalancer": {"ingress": []}}, False),
        ({"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}, True),
    ],
)
def test_an_ingress_is_served_once_it_has_an_address(status: Json | None, *, is_served: bool) -> None:
    ingress = read(json.dumps({"metadata": {"name": "web"}, "status": status}).encode(), Ingress)

    assert ingress.is_served is is_served


@pytest.mark.parametrize(("spec", "decoded"), [({"nodeName": "a"}, {"nodeName": "a"}), ([], {}), (None, {})])
def test_the_spec_of_a_pod_is_empty_if_it_can_not_be_read(spec: object, decoded: Json) -> None:
    pod = read(json.dumps({"metadata": {"name": "web"}, "spec": spec}).encode(), Pod)

    assert pod.decoded_spec() == decoded


def test_of_a_container_without_a_state_nothing_is_known() -> None:
    crashed = ContainerState(terminated=Terminated(exit_code=1))

    assert ContainerStatus(name="main", last_state=crashed).now == ContainerState()
    assert ContainerStatus(name="main", last_state=crashed).before == crashed
    assert ContainerStatus(name="main", state=crashed).before == ContainerState()


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


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        pytest.param("web\x1b[2J\nforged", "web?[2J?forged", id="control characters"),
        pytest.param("web-deployment, Ü", "web-deployment, Ü", id="letters of any language"),
        pytest.param("a\u202eb\u2028c", "a?b?c", id="direction and line of Unicode"),
    ],
)
def test_control_characters_are_replaced(text: str, printed: str) -> None:
    assert printable(text) == printed
