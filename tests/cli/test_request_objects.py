"""Metacontroller's half: what is composed is what the hook reads, and what a real Metacontroller sent."""

import copy
import json
from typing import Any

import pytest

from app.cli.files.request_objects import children_of, related_to
from metahook import (
    Absence,
    ConfigMap,
    CustomizeRequest,
    Deployment,
    MalformedRequest,
    RelatedRule,
    Service,
    SyncRequest,
    select_by_labels,
    select_by_name,
)
from metahook.protocol.sender import customize_request, sync_request
from metahook.simulator.metacontroller.settings import MODES
from tests.recorded.traffic import one
from tests.requests.builders import Json, my_resource, owned

KINDS = (Deployment, Service)
SERVICES = ("v1", "services", "Service")
DEPLOYMENTS = ("apps/v1", "deployments", "Deployment")


def made(kind: str, name: str = "web", *, namespace: str = "default", **fields: object) -> Json:
    version = "apps/v1" if kind == "Deployment" else "v1"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": namespace}, **fields}


def test_a_composed_sync_request_is_read_as_it_was_meant() -> None:
    parent = my_resource(status={"state": "Ready"}, generation=4)
    children = children_of(parent, [owned(made("Deployment", spec={"replicas": 2}), parent)], *KINDS)
    related = related_to([select_by_name(Service, "default", "web", "gone")], [made("Service")], SERVICES, DEPLOYMENTS)

    request = SyncRequest.decode(sync_request(parent, children, related), KINDS)
    deployment = request.children.get(Deployment, "web")

    assert request.parent == CustomizeRequest.decode(customize_request(parent)).parent
    assert request.parent.generation == 4
    assert json.loads(request.parent.spec) == parent["spec"]
    assert json.loads(request.parent.status) == parent["status"]
    assert deployment is not None
    assert deployment.spec == {"replicas": 2}
    assert isinstance(request.related.get(Service, "web"), Service)
    assert request.related.get(Service, "gone") is Absence.MISSING
    assert request.related.get(ConfigMap, "web") is Absence.NOT_SELECTED


@pytest.mark.parametrize("mode", MODES)
def test_children_are_grouped_as_a_real_metacontroller_groups_them(mode: str) -> None:
    request = one(f"{mode}/rollout-4-ports-added-rest").content["request"]
    objects = [item for group in request["children"].values() for item in group.values()]

    assert children_of(request["parent"], objects, *KINDS) == request["children"]


def test_requests_have_the_fields_that_a_real_metacontroller_sends() -> None:
    composed = json.loads(sync_request(my_resource(), {}, {}))

    assert composed.keys() == one("dynamic-apply/rollout-0-made-first").content["request"].keys()
    assert (
        json.loads(customize_request(my_resource())).keys()
        == one("dynamic-apply/rollout-0-made-customize").content["request"].keys()
    )


def test_only_what_the_parent_controls_is_its_child() -> None:
    parent = my_resource()
    own, orphan = owned(made("Deployment", "own"), parent), made("Deployment", "orphan")
    others = owned(made("Deployment", "others"), my_resource("other", uid="u"))
    follower = owned(made("Deployment", "follower"), parent, ownerReferences=[{"uid": parent["metadata"]["uid"]}])

    children = children_of(parent, [own, orphan, others, follower], Deployment)

    assert children == {"Deployment.apps/v1": {"default/own": own}}


def test_of_several_controllers_the_first_one_counts() -> None:
    parent, other = my_resource(), {"uid": "another-uid", "controller": True}
    child = owned(made("Deployment"), parent)
    (own,) = child["metadata"]["ownerReferences"]
    first, second = copy.deepcopy(child), copy.deepcopy(child)
    first["metadata"]["ownerReferences"] = [{"uid": "a-follower"}, own, other]
    second["metadata"]["ownerReferences"] = [other, own]

    assert children_of(parent, [first], Deployment) == {"Deployment.apps/v1": {"default/web": first}}
    assert children_of(parent, [second], Deployment) == {"Deployment.apps/v1": {}}


@pytest.mark.parametrize("references", [None, []])
def test_an_object_without_owners_is_no_child(references: list[Json] | None) -> None:
    orphan = made("Deployment")
    orphan["metadata"]["ownerReferences"] = references

    assert children_of(my_resource(), [orphan], Deployment) == {"Deployment.apps/v1": {}}


def test_an_object_in_another_namespace_is_no_child() -> None:
    parent = my_resource()
    elsewhere = owned(made("Deployment", namespace="other"), parent)

    assert children_of(parent, [elsewhere], Deployment) == {"Deployment.apps/v1": {}}


def test_an_object_of_a_kind_that_the_hook_does_not_declare_is_no_child() -> None:
    parent = my_resource()

    assert children_of(parent, [owned(made("Service"), parent)], Deployment) == {"Deployment.apps/v1": {}}


def test_every_kind_has_a_group_even_without_children() -> None:
    assert children_of(my_resource(), [], *KINDS) == {"Deployment.apps/v1": {}, "Service.v1": {}}


def test_related_objects_are_those_that_a_rule_names() -> None:
    found, elsewhere = made("Service", "a"), made("Service", "a", namespace="other")
    objects = [found, elsewhere, made("Service", "b"), made("Deployment", "a")]

    assert related_to([select_by_name(Service, "default", "a")], objects, SERVICES, DEPLOYMENTS) == {
        "Service.v1": {"default/a": found}
    }


def test_a_rule_may_select_namespaces_by_their_labels() -> None:
    blue, green = ({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": n, "labels": {"c": n}}} for n in "bg")
    found, elsewhere = made("Service", "a", namespace="b"), made("Service", "a", namespace="g")
    rule: Any = {"apiVersion": "v1", "resource": "services", "namespaceSelector": {"matchLabels": {"c": "b"}}}

    assert related_to([rule], [blue, green, found, elsewhere], SERVICES) == {"Service.v1": {"b/a": found}}


def test_rules_of_one_kind_share_a_group() -> None:
    one, two = made("Service", "one"), made("Service", "two")
    rules = [select_by_name(Service, "default", "one"), select_by_name(Service, "default", "two")]

    assert related_to(rules, [two, one], SERVICES) == {"Service.v1": {"default/one": one, "default/two": two}}


def test_without_rules_nothing_is_related() -> None:
    assert related_to([], [made("Service")], SERVICES, DEPLOYMENTS) == {}


def test_a_rule_without_names_and_labels_is_about_all_in_the_namespace() -> None:
    rule: RelatedRule = {"apiVersion": "v1", "resource": "services", "namespace": "default"}
    here, elsewhere = made("Service"), made("Service", namespace="other")

    assert related_to([rule], [here, elsewhere], SERVICES) == {"Service.v1": {"default/web": here}}


def test_a_rule_with_labels_is_about_the_objects_that_have_all_of_them() -> None:
    both, one, none = (made("Service", name) for name in ("both", "one", "none"))
    both["metadata"]["labels"] = {"a": "1", "b": "2", "c": "3"}
    one["metadata"]["labels"] = {"a": "1", "b": "other"}
    rule = select_by_labels(Service, "default", {"a": "1", "b": "2"})

    assert related_to([rule], [both, one, none], SERVICES) == {"Service.v1": {"default/both": both}}


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        pytest.param({"key": "app", "operator": "In", "values": ["x", "z"]}, ["a"], id="In"),
        pytest.param({"key": "app", "operator": "NotIn", "values": ["x"]}, ["b", "none"], id="NotIn"),
        pytest.param({"key": "tier", "operator": "Exists"}, ["b"], id="Exists"),
        pytest.param({"key": "tier", "operator": "DoesNotExist"}, ["a", "none"], id="DoesNotExist"),
    ],
)
def test_a_rule_with_expressions_is_about_the_objects_that_match_them(expression: Json, found: list[str]) -> None:
    labels = {"a": {"app": "x"}, "b": {"app": "y", "tier": "t"}, "none": {}}
    services = [made("Service", name) for name in labels]
    for service in services:
        service["metadata"]["labels"] = labels[service["metadata"]["name"]]
    rule = select_by_labels(Service, "default", {})
    rule["labelSelector"] = {"matchExpressions": [expression]}

    assert [key.split("/")[1] for key in related_to([rule], services, SERVICES)["Service.v1"]] == found


def test_labels_and_expressions_of_a_rule_must_both_match() -> None:
    services = [made("Service", name) for name in ("both", "one")]
    services[0]["metadata"]["labels"] = {"app": "x", "tier": "t"}
    services[1]["metadata"]["labels"] = {"app": "x"}
    rule = select_by_labels(Service, "default", {"app": "x"})
    rule["labelSelector"]["matchExpressions"] = [{"key": "tier", "operator": "Exists"}]

    assert list(related_to([rule], services, SERVICES)["Service.v1"]) == ["default/both"]


def test_a_kind_of_others_is_known_by_its_version_and_resource() -> None:
    backup = {**made("MyBackup"), "apiVersion": "example.com/v1"}
    rule: RelatedRule = {
        "apiVersion": "example.com/v1", "resource": "mybackups", "namespace": "default", "names": ["web"],
    }  # fmt: skip
    other: RelatedRule = {**rule, "apiVersion": "example.com/v2"}

    found = related_to([rule], [made("Service"), backup], SERVICES, ("example.com/v1", "mybackups", "MyBackup"))

    assert found == {"MyBackup.example.com/v1": {"default/web": backup}}
    assert related_to([other], [backup], ("example.com/v1", "mybackups", "MyBackup")) == {}


def test_a_rule_for_another_kind_has_no_group() -> None:
    rules = [select_by_name(ConfigMap, "default", "web"), select_by_name(Service, "default", "web")]

    assert related_to(rules, [], SERVICES) == {"Service.v1": {}}


def test_a_parent_that_was_never_stored_can_not_be_asked_about() -> None:
    parent = my_resource()
    fresh = {**parent, "metadata": {"name": "web"}}

    with pytest.raises(MalformedRequest):
        CustomizeRequest.decode(customize_request(fresh))
