"""What is watched: Metacontroller gets the rights to read it, and no others."""

import pytest

from tests.chart.sets import Json, objects, values

ALL = values("watch")
LITTLE: Json = {"watch": {"pods": False}}
Right = tuple[str, str, str]


def rights(given: Json) -> set[Right]:
    """Return what Metacontroller may do: verb, group and resource."""
    (role,) = [
        item
        for item in objects(given)
        if item["kind"] == "ClusterRole" and item["metadata"]["name"].endswith("-metacontroller")
    ]
    return {
        (verb, group, resource)
        for rule in role["rules"]
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


def reading(group: str, resource: str) -> set[Right]:
    return {("list", group, resource), ("watch", group, resource)}


@pytest.mark.parametrize(
    ("given", "more"),
    [
        ({}, reading("", "pods")),
        ({"watch": {"pods": False, "secrets": True}}, reading("", "secrets")),
        (
            ALL,
            reading("", "pods")
            | reading("", "secrets")
            | reading("example.com", "mybackups")
            | reading("", "persistentvolumeclaims"),
        ),
    ],
    ids=["the default", "Secrets alone", "everything"],
)
def test_metacontroller_can_read_the_watched_kinds_and_no_others(given: Json, more: set[Right]) -> None:
    assert rights(given) == rights(LITTLE) | more
    assert not rights(LITTLE) & more


def test_configmaps_are_always_watched() -> None:
    assert reading("", "configmaps") <= rights(LITTLE)


@pytest.mark.parametrize("given", [values("admission-policy"), values("expose")], ids=["no routes", "routes"])
def test_the_admission_policy_protects_each_kind_that_metacontroller_may_change(given: Json) -> None:
    (policy,) = [item for item in objects(given) if item["kind"] == "ValidatingAdmissionPolicy"]

    protected = {
        (group, resource)
        for rule in policy["spec"]["matchConstraints"]["resourceRules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }

    assert protected == {
        (group, resource) for verb, group, resource in rights(given) if verb == "update" and "/" not in resource
    }
