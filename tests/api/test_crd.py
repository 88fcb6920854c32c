"""The CRD as a whole: what the API server, kubectl and its users need of it."""

import json
import re
from pathlib import Path

import pytest
import yaml

from app.api.crd import COLUMNS, crd
from tests.api.apiserver import SCHEMA, nodes, read_stored, refusals, stored
from tests.api.examples.scheduling import REQUIRED
from tests.requests.builders import Json, my_resource

COMMITTED = Path("crds/mygroup.example.com_myresources.yaml")
NODES = {node.path: node.schema for node in nodes(SCHEMA)}
VERSION = crd()["spec"]["versions"][0]
BUILT_IN = {".metadata.creationTimestamp"}


def _node(json_path: str) -> Json:
    """Return the schema at a path as kubectl and the scale subresource write it."""
    return NODES[re.sub(r"\[[^]]*\]", "[]", json_path).removeprefix(".")]


def test_the_committed_crd_is_the_one_that_the_models_make() -> None:
    assert yaml.safe_load(COMMITTED.read_text(encoding="utf-8")) == crd(), "run make generate, and look at the diff"


def test_the_crd_fits_into_the_annotation_of_kubectl_apply() -> None:
    assert len(json.dumps(crd())) < 200 * 1024


def test_the_paths_of_the_scale_subresource_are_in_the_schema() -> None:
    assert {path: _node(at)["type"] for path, at in VERSION["subresources"]["scale"].items()} == {
        "specReplicasPath": "integer",
        "statusReplicasPath": "integer",
        "labelSelectorPath": "string",
    }


@pytest.mark.parametrize("column", [pytest.param(column, id=column["name"]) for column in COLUMNS])
def test_a_printer_column_shows_a_field_of_the_schema_by_its_type(column: Json) -> None:
    path = column["jsonPath"]
    shown = "date" if path in BUILT_IN else _node(path).get("type", "string")  # int-or-string must be shown as string

    assert column["type"] == shown


@pytest.mark.parametrize("path", [path for path, node in NODES.items() if "default" in node])
def test_a_default_obeys_its_own_schema_and_rules(path: str) -> None:
    assert refusals(NODES[path]["default"], NODES[path]) == []


@pytest.mark.parametrize("fields", [{}, {"ports": [{"containerPort": 80}]}, {"service": {}}], ids=str)
def test_the_hook_has_the_defaults_of_the_crd(fields: Json) -> None:
    assert read_stored(my_resource(**fields)) == read_stored(stored(my_resource(**fields)))


UNOFFERED = {
    "spec": {"hostNetwork", "hostPID", "hostIPC", "securityContext", "automountServiceAccountToken"},
    "spec.livenessProbe": {"successThreshold"},
    "spec.readinessProbe": {"terminationGracePeriodSeconds"},
    "spec.env[].valueFrom.resourceFieldRef": {"containerName"},
    "spec.volumes[]": {"hostPath"},
    "spec.ports[]": {"hostPort", "hostIP"},
    "spec.lifecycle.preStop.httpGet": {"host"},
    "spec.livenessProbe.httpGet": {"host"},
    "spec.envFrom[].secretRef": {"namespace"},
    f"spec.affinity.podAffinity.{REQUIRED}[]": {"namespaces", "namespaceSelector"},
}
"""Fields of a Pod that a MyResource does not have: test_canonical.py has what becomes of unknown fields."""


@pytest.mark.parametrize("path", UNOFFERED)
def test_what_a_myresource_must_not_offer_is_not_in_the_schema(path: str) -> None:
    assert UNOFFERED[path] & NODES[path]["properties"].keys() == set()


def test_no_list_in_the_schema_is_empty_as_the_api_server_would_drop_it() -> None:
    def empty(node: object) -> bool:
        inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        return node == [] or any(map(empty, inner))

    assert not empty(VERSION["schema"])
    assert empty({"a": [{"b": []}]})
