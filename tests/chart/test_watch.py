"""What is followed: the hook is told so, and Metacontroller gets the rights to read it, and no others."""

import pytest

from app.cli.policy import dependency_kind
from tests.chart.sets import Json, objects, the, values

ALL = values("watch")
LITTLE = values("unwatched")
SIZE = {"MYRESOURCE_MAX_BODY": "32"}
Right = tuple[str, str, str]


def environment(given: Json) -> dict[str, str]:
    (hook,) = the("Deployment", given)["spec"]["template"]["spec"]["containers"]
    return {item["name"]: item["value"] for item in hook["env"]}


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


def test_the_hook_is_told_what_to_follow() -> None:
    assert environment({}) == {**SIZE, "MYRESOURCE_PODS": "true", "MYRESOURCE_SECRETS": "false"}
    assert environment(LITTLE) == {**SIZE, "MYRESOURCE_PODS": "false", "MYRESOURCE_SECRETS": "false"}
    assert environment(ALL)["MYRESOURCE_SECRETS"] == "true"


def test_the_hook_is_told_the_kinds_in_the_words_of_its_own_option() -> None:
    words = environment(ALL)["MYRESOURCE_DEPENDENCY_KINDS"].split(",")
    listed = [(item["apiVersion"], item["resource"], item["kind"]) for item in ALL["follow"]["dependencies"]]

    found = [dependency_kind(word) for word in words]

    assert [(kind.api_version, kind.plural, kind.kind) for kind in found if kind] == listed


@pytest.mark.parametrize(
    ("given", "more"),
    [
        ({}, reading("", "pods")),
        ({"follow": {"pods": False, "secrets": True}}, reading("", "secrets")),
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
def test_metacontroller_may_read_what_is_followed_and_nothing_more(given: Json, more: set[Right]) -> None:
    assert rights(given) == rights(LITTLE) | more
    assert not rights(LITTLE) & more


def test_configmaps_are_always_followed() -> None:
    assert reading("", "configmaps") <= rights(LITTLE)
