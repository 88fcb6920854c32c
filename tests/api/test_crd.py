"""The CRD as a whole: what the API server, kubectl and its users need of it."""

import json
import re
from pathlib import Path

import pytest
import yaml

from app.api.schema.crd import COLUMNS, crd, schema
from app.api.values.names import GROUP, PLURAL
from tests.api.apiserver import SCHEMA, nodes, read_stored, refusals, stored
from tests.requests.builders import Json, my_resource, sync

COMMITTED = Path("crds/mygroup.example.com_myresources.yaml")
NODES = {node.path: node.schema for node in nodes(SCHEMA)}
VERSION = crd()["spec"]["versions"][0]
BUILT_IN = {".metadata.creationTimestamp"}


def _node(json_path: str) -> Json:
    """Return the schema at a path as kubectl and the scale subresource write it."""
    return NODES[re.sub(r"\[[^]]*\]", "[]", json_path).removeprefix(".")]


def test_the_committed_crd_is_the_one_that_the_models_make() -> None:
    assert yaml.safe_load(COMMITTED.read_text(encoding="utf-8")) == crd()


def test_the_crd_is_made_the_same_way_each_time() -> None:
    assert json.dumps(schema()) == json.dumps(schema())


def test_the_crd_fits_into_the_annotation_of_kubectl_apply() -> None:
    assert len(json.dumps(crd())) < 200 * 1024


def test_the_crd_is_named_after_its_plural_and_group() -> None:
    assert crd()["metadata"]["name"] == f"{PLURAL}.{GROUP}" == "myresources.mygroup.example.com"


def test_the_kind_is_namespaced_and_has_the_names_that_users_type() -> None:
    assert crd()["spec"]["scope"] == "Namespaced"
    assert crd()["spec"]["names"] == {
        "kind": "MyResource",
        "listKind": "MyResourceList",
        "plural": "myresources",
        "singular": "myresource",
        "shortNames": ["myr"],
    }


def test_v1alpha1_is_served_and_stored() -> None:
    assert (VERSION["name"], VERSION["served"], VERSION["storage"]) == ("v1alpha1", True, True)


def test_status_is_a_subresource() -> None:
    assert VERSION["subresources"]["status"] == {}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("specReplicasPath", "integer"),
        ("statusReplicasPath", "integer"),
        ("labelSelectorPath", "string"),
    ],
)
def test_a_path_of_the_scale_subresource_is_in_the_schema(path: str, kind: str) -> None:
    assert _node(VERSION["subresources"]["scale"][path])["type"] == kind


def test_scale_finds_replicas_also_when_nobody_set_them() -> None:
    assert NODES["spec.replicas"]["default"] == 1


def test_the_printer_columns_are_those_of_the_design() -> None:
    narrow = [column["name"] for column in COLUMNS if "priority" not in column]
    wide = [column["name"] for column in COLUMNS if column.get("priority") == 1]

    assert narrow == ["Ready", "State", "Reason", "Image", "Replicas", "Age"]
    assert wide == ["Updated", "Ready Pods", "Memory", "Address", "Next", "Message"]


@pytest.mark.parametrize("column", [pytest.param(column, id=column["name"]) for column in COLUMNS])
def test_a_printer_column_shows_a_field_of_the_schema_by_its_type(column: Json) -> None:
    path = column["jsonPath"]
    shown = "date" if path in BUILT_IN else _node(path).get("type", "string")  # int-or-string must be shown as string

    assert column["type"] == shown


def test_no_path_but_those_of_the_schema_is_found() -> None:
    with pytest.raises(KeyError):
        _node(".status.nothing")


def test_only_the_defaults_of_the_design_are_there() -> None:
    assert {path: node["default"] for path, node in NODES.items() if "default" in node} == {
        "spec.memory": "128Mi",
        "spec.initContainers[].memory": "128Mi",
        "spec.replicas": 1,
        "spec.autoscaling.minReplicas": 1,
        "spec.service": {},
        "spec.service.mode": "Auto",
        "spec.expose.path": "/",
        "spec.configReload": {},
        "spec.configReload.mode": "Auto",
        "spec.dependencies[].condition": "Ready",
        "spec.rollback.mode": "Disabled",
        "spec.schedule.sleep[].replicas": 0,
        "spec.schedule.timeZone": "UTC",
        "spec.securityProfile": "Baseline",
        "spec.ports[].protocol": "TCP",
    }


@pytest.mark.parametrize("path", [path for path, node in NODES.items() if "default" in node])
def test_a_default_obeys_its_own_schema_and_rules(path: str) -> None:
    assert refusals(NODES[path]["default"], NODES[path]) == []


def test_a_default_that_breaks_a_rule_would_be_found() -> None:
    assert refusals("0Mi", NODES["spec.memory"])


@pytest.mark.parametrize("fields", [{}, {"ports": [{"containerPort": 80}]}, {"service": {}}], ids=str)
def test_the_hook_has_the_defaults_of_the_crd(fields: Json) -> None:
    assert read_stored(my_resource(**fields)) == read_stored(stored(my_resource(**fields)))


def test_the_status_that_a_sync_answers_with_fits_the_schema() -> None:
    status = sync(my_resource())["status"]

    assert refusals(status, NODES["status"]) == []
    assert set(status) <= set(NODES["status"]["properties"])
    assert set(status["conditions"][0]) <= set(NODES["status.conditions[]"]["properties"])


def test_no_list_in_the_schema_is_empty_as_the_api_server_would_drop_it() -> None:
    def empty(node: object) -> bool:
        inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        return node == [] or any(map(empty, inner))

    assert not empty(crd()["spec"]["versions"][0]["schema"])
    assert empty({"a": [{"b": []}]})
