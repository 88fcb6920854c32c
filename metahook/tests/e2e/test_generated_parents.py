"""CRDs made from structs, and parents generated from CRDs: an API server accepts all of them."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from metahook.envtest import Cluster, Refused
from metahook.testing import parents
from toolkit.crds import CRDS, EVERY_TYPE

THOROUGH = settings(
    max_examples=100, derandomize=False, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
)


@pytest.fixture(name="cluster", scope="module")
def _cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        for crd in CRDS.values():
            cluster.apply(without_cel(crd))
        for crd in CRDS.values():
            name = crd["metadata"]["name"]
            cluster.wait_for(lambda name=name: is_established(cluster, name), f"{name} is Established")  # type: ignore[misc]
        yield cluster


def without_cel(node: Any) -> Any:
    """Return *node* of a CRD without CEL rules: generated parents need not meet them."""
    if isinstance(node, list):
        return [without_cel(each) for each in node]
    if not isinstance(node, dict):
        return node
    return {name: without_cel(value) for name, value in node.items() if name != "x-kubernetes-validations"}


def as_floats(item: dict[str, Any]) -> Any:
    """Return *item* with floats for all numbers: an API server writes a large one as a whole number with zeros."""
    return json.loads(json.dumps(item), parse_int=float)


def conditions(cluster: Cluster, name: str) -> dict[str, str]:
    status = (cluster.get("CustomResourceDefinition", name) or {}).get("status", {})
    return {each["type"]: each["status"] for each in status.get("conditions") or ()}


def is_established(cluster: Cluster, name: str) -> bool:
    return conditions(cluster, name).get("Established") == "True"


def test_a_crd_of_every_type_is_established_as_a_structural_one(cluster: Cluster) -> None:
    name = EVERY_TYPE["metadata"]["name"]

    assert conditions(cluster, name) == {"NamesAccepted": "True", "Established": "True"}


@pytest.mark.parametrize("name", CRDS)
def test_each_generated_parent_is_stored_as_it_is(cluster: Cluster, name: str) -> None:
    accepted = 0

    @THOROUGH
    @given(parents(CRDS[name]))
    def create(parent: dict[str, Any]) -> None:
        nonlocal accepted
        namespace = {"namespace": "default"} if CRDS[name]["spec"]["scope"] == "Namespaced" else {}
        item = {**parent, "metadata": {**parent["metadata"], **namespace}}
        stored = cluster.client.create(item, dry_run=True)
        assert as_floats({**stored, "metadata": parent["metadata"]}) == as_floats(parent)
        accepted += 1

    create()
    assert accepted > 1


@pytest.mark.parametrize(("field", "value"), [("text", 5), ("whole", 10), ("size", "huge"), ("items", [])])
def test_a_value_that_the_struct_does_not_allow_is_refused(cluster: Cluster, field: str, value: object) -> None:
    valid = {"text": "a", "whole": 2, "nullable": None, "otherSize": "small", "level": 1}
    item = {"apiVersion": "example.com/v1", "kind": "Type", "metadata": {"name": "it", "namespace": "default"}}
    cluster.client.create({**item, "spec": valid}, dry_run=True)

    with pytest.raises(Refused, match=field):
        cluster.client.create({**item, "spec": {**valid, field: value}}, dry_run=True)
