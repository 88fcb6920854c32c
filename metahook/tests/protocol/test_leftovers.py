"""Leftovers of children of any kind. tests/core/test_leftovers.py has those that real API servers recorded."""

import json
from typing import Any, ClassVar

import msgspec
import pytest

from metahook import (
    Children,
    ConfigMap,
    Kind,
    Manifest,
    Object,
    Secret,
    Service,
    foreign_fields,
    leftovers,
    removal,
)
from metahook.protocol.leftovers import format_path
from metahook.protocol.observed import LAST_APPLIED

Json = dict[str, Any]


class Cache(Object, frozen=True):
    """A custom resource."""

    KIND: ClassVar[Kind] = Kind("example.com/v1", "Cache", "caches")


def owning(fields: Json, *, manager: str = "metacontroller", operation: str = "Update") -> Json:
    return {"manager": manager, "operation": operation, "fieldsV1": fields}


def manifest(kind: type[Object], **fields: Any) -> Manifest:
    metadata = {"name": "hello", "namespace": "default"}
    return {"apiVersion": kind.KIND.api_version, "kind": kind.KIND.kind, "metadata": metadata, **fields}


def observed(kind: type[Object], *owners: Json, annotations: Json | None = None, **fields: Any) -> Children:
    child = manifest(kind, **fields)
    child["metadata"] |= {"managedFields": list(owners), **({"annotations": annotations} if annotations else {})}
    groups = {kind.KIND.group_key: {"hello": msgspec.Raw(json.dumps(child).encode())}}
    return Children(groups, (kind,), namespace="default", owner_uid="u")


def found(kind: type[Object], children: Children, ignored: tuple[str, ...] = (), **desired: Any) -> list[str]:
    return [format_path(path) for path in leftovers(manifest(kind, **desired), children, ignored)]


TWO_KEYS: Json = {"f:data": {".": {}, "f:a": {}, "f:b": {}}}


def test_a_key_of_a_config_map_that_is_not_desired_any_more_is_left_over() -> None:
    children = observed(ConfigMap, owning(TWO_KEYS), data={"a": "1", "b": "2"})

    assert found(ConfigMap, children, data={"a": "1"}) == ["data.b"]
    assert found(ConfigMap, children, data={"a": "1", "b": "3"}) == []
    assert found(ConfigMap, children) == ["data"]


def test_a_key_that_another_manager_owns_too_is_not_left_over() -> None:
    other = owning({"f:data": {"f:b": {}}}, manager="kubectl-edit")
    children = observed(ConfigMap, owning(TWO_KEYS), other, data={"a": "1", "b": "2"})

    assert found(ConfigMap, children, data={"a": "1"}) == []


def test_what_metacontroller_removes_itself_is_not_left_over() -> None:
    record = {LAST_APPLIED: json.dumps(manifest(ConfigMap, data={"a": "1", "b": "2"}))}
    fields = {"data": {"a": "1", "b": "2"}}

    assert found(ConfigMap, observed(ConfigMap, owning(TWO_KEYS), annotations=record, **fields), data={"a": "1"}) == []
    applied = owning({**TWO_KEYS, "f:metadata": {"f:ownerReferences": {'k:{"uid":"u"}': {}}}}, operation="Apply")
    assert found(ConfigMap, observed(ConfigMap, applied, **fields), data={"a": "1"}) == []
    before = owning({"f:data": {"f:c": {}}})
    data = {"a": "1", "b": "2", "c": "3"}
    assert found(ConfigMap, observed(ConfigMap, applied, before, data=data), data={"a": "1"}) == ["data.c"]


def test_what_only_another_manager_sets_is_not_left_over() -> None:
    children = observed(ConfigMap, owning(TWO_KEYS, manager="kubectl-edit"), data={"a": "1", "b": "2"})

    assert found(ConfigMap, children, data={"a": "1"}) == []


@pytest.mark.parametrize(("text", "paths"), [("Opaque", []), ("example.com/key", ["type"])])
def test_the_default_type_of_a_secret_is_not_left_over(text: str, paths: list[str]) -> None:
    fields: Json = {"f:data": {".": {}, "f:a": {}}, "f:type": {}}

    assert found(Secret, observed(Secret, owning(fields), data={"a": "MQ=="}, type=text), data={"a": "MQ=="}) == paths


def test_an_annotation_that_the_hook_sets_at_times_is_ignored() -> None:
    fields: Json = {"f:metadata": {"f:annotations": {".": {}, "f:example.com/repair": {}}}}
    children = observed(ConfigMap, owning(fields), annotations={"example.com/repair": "x"})

    assert found(ConfigMap, children) == ["metadata.annotations.example.com/repair"]
    assert found(ConfigMap, children, ("example.com/repair",)) == []


def test_the_status_is_not_the_hooks() -> None:
    children = observed(Cache, owning({"f:status": {"f:a": {}}, "f:spec": {"f:b": {}}}), status={"a": 1}, spec={"b": 2})

    assert found(Cache, children, spec={}) == ["spec.b"]


def test_a_child_that_is_not_observed_has_none() -> None:
    assert leftovers({**manifest(ConfigMap), "metadata": {"name": "other"}}, observed(ConfigMap)) == []


def test_the_command_for_a_built_in_kind_is_a_strategic_merge_patch() -> None:
    command = removal(manifest(ConfigMap, data={"a": "1"}), [("data", "b")], observed(ConfigMap)).command

    assert command == (
        """kubectl patch configmap hello -n default --field-manager=metacontroller -p '{"data":{"b":null}}'"""
    )


def test_the_command_for_a_custom_resource_is_a_merge_patch_that_names_the_group() -> None:
    command = removal(manifest(Cache), [("spec", "b")], observed(Cache)).command

    assert command.startswith("kubectl patch cache.example.com hello -n default --type=merge --field-manager=")


@pytest.mark.parametrize(
    ("removed", "desired"),
    [
        ("rollingUpdate", "type"),
        ("sessionAffinityConfig", "sessionAffinity"),
        ("valueFrom", "value"),
        ("configMapKeyRef", "secretKeyRef"),
        ("httpGet", "exec"),
        ("emptyDir", "persistentVolumeClaim"),
    ],
)
def test_a_field_that_takes_the_place_of_the_removed_one_is_set_in_the_same_patch(removed: str, desired: str) -> None:
    command = removal(manifest(Cache, spec={desired: "x", "a": 1}), [("spec", removed)], observed(Cache)).command

    assert command.endswith(f"""-p '{{"spec":{{"{removed}":null,"{desired}":"x"}}}}'""")


def test_an_item_of_a_list_of_a_custom_resource_is_removed_in_an_editor() -> None:
    command = removal(manifest(Cache), [("spec", "b"), ("spec", "c", (("name", "x"),))], observed(Cache)).command

    assert command == "kubectl edit cache.example.com hello -n default"


def keyed(port: int, **more: Any) -> str:
    return f"k:{json.dumps({'port': port, 'protocol': 'TCP', **more})}"


PORTS: Json = {"ports": [{"port": 80, "protocol": "TCP"}, {"port": 81, "protocol": "TCP"}]}
THEIRS: Json = {"f:spec": {"f:ports": {keyed(81): {".": {}, "f:port": {}}}, "f:sessionAffinity": {}}}


def test_of_two_ports_the_one_that_is_not_desired_any_more_is_left_over() -> None:
    both: Json = {"f:spec": {"f:ports": {keyed(port): {".": {}, "f:port": {}} for port in (80, 81)}}}
    children = observed(Service, owning(both), spec=PORTS)

    assert found(Service, children, spec={"ports": PORTS["ports"][:1]}) == ["spec.ports[81]"]
    assert found(Service, children, spec={"ports": PORTS["ports"][1:]}) == ["spec.ports[80]"]


@pytest.mark.parametrize(
    ("owner", "fields"),
    [
        pytest.param({"manager": "kubectl-edit"}, ["spec.ports[81] (kubectl-edit)"], id="another manager"),
        pytest.param({"manager": "expected"}, [], id="one that is expected"),
        pytest.param({"manager": "metacontroller"}, [], id="Metacontroller"),
        pytest.param({"manager": "scaler", "subresource": "scale"}, [], id="a subresource"),
        pytest.param({"manager": "kubectl", "operation": "Update"}, [], id="an undo"),
    ],
)
def test_a_field_is_foreign_if_another_manager_sets_it_that_is_not_expected(owner: Json, fields: list[str]) -> None:
    children = observed(Service, {"operation": "Update", "fieldsV1": THEIRS, **owner}, spec=PORTS)
    desired = manifest(Service, spec={"ports": PORTS["ports"][:1]})

    assert [str(field) for field in foreign_fields(desired, children, ["expected"])] == fields
    assert foreign_fields(desired, children, ["*"]) == []


def test_the_field_of_two_managers_names_both_and_an_owner_by_reference_is_metacontroller() -> None:
    own = {"f:metadata": {"f:ownerReferences": {'k:{"uid":"u"}': {}}}, **THEIRS}
    two = [owning(THEIRS, manager=name) for name in ("b", "a")]
    children = observed(Service, owning(own, manager="renamed"), *two, spec=PORTS)

    assert [str(field) for field in foreign_fields(manifest(Service), children)] == ["spec (a, b)"]
    assert foreign_fields(manifest(Service), observed(Service, owning(own, manager="renamed"), spec=PORTS)) == []


def test_fields_that_a_rollout_undo_brought_back_are_left_over() -> None:
    undo = owning({"f:spec": {"f:sessionAffinity": {}}}, manager="kubectl")

    assert found(Service, observed(Service, undo, spec={"sessionAffinity": "ClientIP"}), spec={}) == [
        "spec.sessionAffinity"
    ]


def test_the_last_port_is_removed_together_with_setting_the_desired_one() -> None:
    desired = manifest(Service, spec={"ports": [{"port": 80, "name": "web"}]})
    children = observed(Service, spec={"ports": [{"port": 81, "protocol": "UDP"}]})
    path = ("spec", "ports", (("port", 81), ("protocol", "UDP")))

    command = removal(desired, [path], children).command

    assert command.endswith(
        """-p '{"spec":{"ports":[{"port":81,"protocol":"UDP","$patch":"delete"},{"port":80,"name":"web"}]}}'"""
    )


def test_a_part_of_an_item_is_removed_from_it_as_the_hook_desires_it() -> None:
    desired = manifest(Service, spec={"ports": [{"port": 80, "protocol": "TCP", "value": "x"}]})
    path = ("spec", "ports", (("port", 80),), "valueFrom")

    command = removal(desired, [path, ("metadata", "labels", "a" * 900)], observed(Service), 200).command

    assert command.endswith("""-p '{"spec":{"ports":[{"port":80,"valueFrom":null,"value":"x"}]}}'""")
