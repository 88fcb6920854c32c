"""What is watched: Metacontroller gets the rights to read it, and no others. And what the admission policies refuse."""

import itertools

import pytest

from app.api.names import GROUP, PLURAL
from app.core.desired.exposure import ROUTES
from app.core.watch import Watch
from tests.chart.sets import Json, objects, the, values
from tests.core.desired.test_annotations import ALLOWED, PLACES, TABLE, annotated, parent
from tests.requests.builders import MYRESOURCE, condition, sync
from tests.support.rules import holds

LITTLE: Json = {"watch": {"pods": False}}


def rights(given: Json) -> set[tuple[str, str, str]]:
    """Return what Metacontroller may do: verb, group and resource."""
    (rules,) = [
        item["rules"]
        for item in objects(given)
        if item["kind"] == "ClusterRole" and item["metadata"]["name"].endswith("-metacontroller")
    ]
    return {right for rule in rules for right in itertools.product(rule["verbs"], rule["apiGroups"], rule["resources"])}


@pytest.mark.parametrize(
    ("given", "more"),
    [
        ({}, "pods"),
        ({"watch": {"pods": False, "secrets": True}}, "secrets"),
        (values("watch"), "pods secrets mybackups.example.com persistentvolumeclaims"),
    ],
    ids=["the default", "Secrets alone", "everything"],
)
def test_metacontroller_can_read_the_watched_kinds_and_no_others(given: Json, more: str) -> None:
    kinds = [each.partition(".") for each in more.split()]

    assert rights(given) - rights(LITTLE) == {
        (verb, group, resource) for resource, _, group in kinds for verb in ("list", "watch")
    }
    assert rights(LITTLE) <= rights(given)


KINDS = [kind.KIND for kind in MYRESOURCE.children if kind not in ROUTES]
"""The kinds of children that the values do not turn off."""


def test_the_compositecontroller_watches_just_the_kinds_that_the_controller_makes() -> None:
    spec = the("CompositeController")["spec"]
    children = spec["childResources"]

    assert spec["parentResource"]["ignoreStatusChanges"] is True
    assert spec["resyncPeriodSeconds"] == 600

    assert {(item["apiVersion"], item["resource"]) for item in children} == {
        (kind.api_version, kind.plural) for kind in KINDS
    }
    assert {item["updateStrategy"]["method"] for item in children} == {"InPlace"}


def test_metacontroller_may_write_just_what_it_must() -> None:
    may = rights({})

    assert {(group, resource) for verb, group, resource in may if verb in {"create", "update", "patch", "delete"}} == {
        (GROUP, f"{PLURAL}/status"),
        ("", "events"),
        *((kind.api_version.rpartition("/")[0], kind.plural) for kind in KINDS),
    }
    assert not {"*", "escalate", "bind", "impersonate"} & {part for right in may for part in right}


@pytest.mark.parametrize("given", [values("admission-policy"), values("expose")], ids=["no routes", "routes"])
def test_the_admission_policy_protects_each_kind_that_metacontroller_may_change(given: Json) -> None:
    policy = the("ValidatingAdmissionPolicy", given)

    protected = {
        right
        for rule in policy["spec"]["matchConstraints"]["resourceRules"]
        for right in itertools.product(rule["apiGroups"], rule["resources"])
    }

    assert protected == {
        (group, resource) for verb, group, resource in rights(given) if verb == "update" and "/" not in resource
    }


ANNOTATIONS: Json = {"allowedAnnotations": list(ALLOWED)}


def refusals(made: Json) -> list[str]:
    """Return what the policy says to a MyResource with spec."""
    rules = the("ValidatingAdmissionPolicy", ANNOTATIONS)["spec"]["validations"]
    return [rule["message"] for rule in rules if not holds(rule["expression"].replace("object.", "self."), made)]


@pytest.mark.parametrize(("path", "key", "is_allowed"), TABLE)
def test_the_admission_policy_refuses_the_annotations_that_the_hook_does_not_allow(
    path: tuple[str, ...], key: str, *, is_allowed: bool
) -> None:
    made = parent(**annotated(path, "prometheus.io/port", key))
    message = condition(sync(made, watch=Watch(allowed_annotations=ALLOWED)))["message"]

    assert refusals(made) == ([] if is_allowed else [message.partition(". ")[0]])


def test_the_admission_policy_accepts_what_has_no_annotations_and_refuses_each_place() -> None:
    assert refusals(parent(podMetadata={}, service={}, propagate={})) == []
    assert len(refusals(parent(**{path[0]: annotated(path, "a/b")[path[0]] for path in PLACES}))) == len(PLACES)


@pytest.mark.parametrize(
    ("before", "after", "is_checked"),
    [({"a": 1}, {"a": 1}, False), ({"a": 1}, {"a": 2}, True), (None, {"a": 1}, True)],
    ids=["a change of metadata", "a change of the spec", "a new MyResource"],
)
def test_only_a_spec_that_changes_is_checked_so_that_finalizers_can_be_removed(
    before: Json | None, after: Json, *, is_checked: bool
) -> None:
    (condition,) = the("ValidatingAdmissionPolicy", ANNOTATIONS)["spec"]["matchConditions"]
    operation = f"'{'UPDATE' if before else 'CREATE'}'"
    rule = condition["expression"].replace("request.operation", operation)
    rule = rule.replace("oldObject.", "oldSelf.").replace("object.", "self.")

    assert holds(rule, {"spec": after}, before and {"spec": before}) is is_checked
