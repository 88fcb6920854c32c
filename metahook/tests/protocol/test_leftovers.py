"""Leftovers of children of any kind. tests/core/test_leftovers.py has those that real API servers recorded."""

import json
from typing import Any, ClassVar

import msgspec
import pytest

from metahook import Children, ConfigMap, Kind, Manifest, Object, Secret, leftovers, removal
from metahook.protocol.drift.leftovers import format_path
from metahook.protocol.observed.child import LAST_APPLIED

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
