"""Tests of the hook: in a cluster in memory (``world``), of one request, and with parents from the CRD."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from metahook import Manifest
from metahook.simulator import Key, World
from metahook.simulator.clock import START
from metahook.testing import parents

from hook import CONTROLLER
from model import (
    CRD,
    Spec,  # only: fields
)

if yaml.safe_load(Path("crd.yaml").read_text()) != CRD:
    pytest.fail("crd.yaml is not made from model.py: run make generate", pytrace=False)

EXAMPLE = yaml.safe_load(Path("example.yaml").read_text())
# only: fields
OTHER_SPEC = {
    "host": "shop.example.com",  # only: host
    "image": "web:2",  # only: image
    "pods": 20,  # only: pods
    "port": 9090,  # only: port
    "replicas": 3,  # only: replicas
    "schedule": "30 4 * * *",  # only: schedule
    "size": "2Gi",  # only: size
    "text": "bye",  # only: text
    "user": "joe",  # only: user
}
# end
CHILDREN = [
    Key("MyChild", "my-namespace", "my-child"),  # each child
]


def desired(parent: Manifest, now: datetime) -> dict[str, Manifest]:
    """Return the children of a new *parent*, by kind."""
    return {child["kind"]: child for child in CONTROLLER.decide(CONTROLLER.request(parent), now).children}


def ready(parent: Manifest, children: list[Manifest], now: datetime) -> tuple[str, str]:
    """Return the status and the reason of the condition Ready while the *children* are observed."""
    (condition,) = CONTROLLER.decide(CONTROLLER.request(parent, children), now).status["conditions"]
    return condition["status"], condition["reason"]


def observed(world: World) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the example and its children when nothing changes any more."""
    world.apply(EXAMPLE)
    world.until_quiet()
    return world.parent("my-example"), [world.get(child) for child in CHILDREN]


def test_the_children_are_created_and_the_parent_becomes_ready(world: World) -> None:
    parent, _ = observed(world)

    (condition,) = parent["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["observedGeneration"]) == ("Ready", "True", 1)


def test_a_child_that_is_deleted_by_hand_is_created_again(world: World) -> None:
    observed(world)

    world.delete(CHILDREN[-1])
    world.run(60)

    assert world.get(CHILDREN[-1])


def test_each_parent_has_children_of_its_own(world: World) -> None:
    world.apply(EXAMPLE)
    world.apply({**EXAMPLE, "metadata": {"name": "second"}})
    world.until_quiet()

    parents = [world.parent(name) for name in ("my-example", "second")]
    assert [parent["status"]["conditions"][0]["status"] for parent in parents] == ["True", "True"]


def test_a_parent_is_ready_only_while_each_child_is_as_desired(world: World, now: datetime) -> None:
    parent, children = observed(world)

    assert ready(parent, children, now) == ("True", "Ready")
    for child in children:
        assert ready(parent, [each for each in children if each is not child], now) == ("False", "Progressing")
    # only: Deployment StatefulSet

    assert ready(parent, [{**each, "status": {}} for each in children], now) == ("False", "Progressing")
    changed = [{**each, "metadata": {**each["metadata"], "generation": 9}} for each in children]
    assert ready(parent, changed, now) == ("False", "Progressing")
    # end


def test_an_invalid_spec_is_reported_and_changes_no_child(now: datetime) -> None:
    children = list(desired(EXAMPLE, now).values())
    invalid = {**EXAMPLE, "spec": dict.fromkeys(EXAMPLE["spec"], [])}

    response = CONTROLLER.decide(CONTROLLER.request(invalid, children), now)

    assert ready(invalid, children, now) == ("False", "InvalidSpec")
    assert (response.children, len(response.kept)) == ([], len(CHILDREN))


# only: fields
def test_the_fields_of_the_spec_get_into_the_children(now: datetime) -> None:
    assert OTHER_SPEC.keys() == set(Spec.__struct_fields__), "OTHER_SPEC has another value for each field of the spec"

    children = desired({**EXAMPLE, "spec": OTHER_SPEC}, now)
    assert children["ConfigMap"]["data"]["text"] == "bye"  # only: ConfigMap
    # only: CronJob
    job = children["CronJob"]["spec"]
    assert job["schedule"] == "30 4 * * *"
    assert job["jobTemplate"]["spec"]["template"]["spec"]["containers"][0]["image"] == "web:2"
    # end
    assert children["DaemonSet"]["spec"]["template"]["spec"]["containers"][0]["image"] == "web:2"  # only: DaemonSet
    # only: Deployment
    assert children["Deployment"]["spec"]["replicas"] == 3
    assert children["Deployment"]["spec"]["template"]["spec"]["containers"][0]["image"] == "web:2"
    # end
    assert children["Ingress"]["spec"]["rules"][0]["host"] == "shop.example.com"  # only: Ingress
    assert children["Job"]["spec"]["template"]["spec"]["containers"][0]["image"] == "web:2"  # only: Job
    assert children["PersistentVolumeClaim"]["spec"]["resources"]["requests"]["storage"] == "2Gi"  # only: PersistentVolumeClaim
    assert children["ResourceQuota"]["spec"]["hard"]["pods"] == "20"  # only: ResourceQuota
    assert children["RoleBinding"]["subjects"][0]["name"] == "joe"  # only: RoleBinding
    assert children["Secret"]["data"]["text"] == "Ynll"  # only: Secret
    assert children["Service"]["spec"]["ports"][0]["targetPort"] == 9090  # only: Service
    # only: StatefulSet
    assert children["StatefulSet"]["spec"]["replicas"] == 3
    assert children["StatefulSet"]["spec"]["template"]["spec"]["containers"][0]["image"] == "web:2"
    # end


def test_a_parent_is_not_ready_until_its_children_have_its_new_spec(world: World, now: datetime) -> None:
    parent, children = observed(world)

    assert ready({**parent, "spec": OTHER_SPEC}, children, now) == ("False", "Progressing")


# end
# only: DaemonSet Deployment Ingress PodDisruptionBudget RoleBinding Service StatefulSet
def test_the_children_refer_to_the_right_objects(now: datetime) -> None:
    children = desired({**EXAMPLE, "metadata": {**EXAMPLE["metadata"], "name": "other"}}, now)

    pods = {"app": "other"}  # only: DaemonSet Deployment PodDisruptionBudget Service StatefulSet
    assert children["DaemonSet"]["spec"]["template"]["metadata"]["labels"] == pods  # only: DaemonSet
    assert children["Deployment"]["spec"]["template"]["metadata"]["labels"] == pods  # only: Deployment
    assert children["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == pods  # only: PodDisruptionBudget
    assert children["Service"]["spec"]["selector"] == pods  # only: Service
    assert children["StatefulSet"]["spec"]["template"]["metadata"]["labels"] == pods  # only: StatefulSet
    assert children["StatefulSet"]["spec"]["serviceName"] == "other"  # only: StatefulSet
    # only: Ingress
    (rule,) = children["Ingress"]["spec"]["rules"]
    assert rule["http"]["paths"][0]["backend"]["service"]["name"] == "other"
    # end
    assert children["RoleBinding"]["roleRef"]["name"] == "other"  # only: RoleBinding


# end
# only: finalize
def test_a_deleted_object_goes_with_its_children(world: World) -> None:
    world.apply(EXAMPLE)
    world.until_quiet()

    parent = Key("MyKind", "default", "my-example")  # only: namespaced
    parent = Key("MyKind", "", "my-example")  # only: cluster-scoped
    world.delete(parent)
    world.run(60)

    assert not any(world.api.get(key) for key in (parent, *CHILDREN))


def test_a_deleted_object_stays_while_it_has_children(now: datetime) -> None:
    children = list(desired(EXAMPLE, now).values())
    requests = [CONTROLLER.request(EXAMPLE, each, finalizing=True) for each in (children, children[:1], [])]

    responses = [CONTROLLER.decide(request, now) for request in requests]

    assert [(response.children, response.finalized) for response in responses] == [([], False), ([], False), ([], True)]


# end
@settings(deadline=None)
@given(parents(CRD))
def test_each_parent_that_the_crd_allows_gets_its_children(parent: Manifest) -> None:
    assert len(desired(parent, START)) == len(CHILDREN)
