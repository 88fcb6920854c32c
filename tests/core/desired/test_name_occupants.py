"""Objects that have the name of a child but belong to another owner, or are being deleted."""

from datetime import timedelta
from typing import Any

import pytest

from tests.requests.builders import (
    NOW,
    NOW_TEXT,
    UID,
    Json,
    child,
    condition,
    finished,
    grouped,
    kinds,
    my_resource,
    owned,
    reason,
    sync,
)

PORTS: dict[str, Any] = {"ports": [{"containerPort": 80}]}
BEFORE, AFTER = "2026-01-31T11:00:00Z", "2026-01-31T12:00:01Z"


def service(*, finalizers: list[str] | None = None, going: bool = False, **owner: Any) -> Json:
    """Return the Service that has the name, of another owner."""
    metadata: Json = {"name": "web", "namespace": "default"}
    if owner:
        metadata["ownerReferences"] = [{"uid": "earlier", "controller": True, **owner}]
    if going:
        metadata["deletionTimestamp"] = BEFORE
    return {"apiVersion": "v1", "kind": "Service", "metadata": {**metadata, "finalizers": finalizers or []}}


def asked(item: Json) -> Json:
    """Return the answer while *item* has the Service's name."""
    return sync(my_resource(**PORTS), related=grouped(item, kinds=("Service",)))


def pod(*, created: str = BEFORE, owner: str = "web-deployment-5f6d", **metadata: Any) -> Json:
    """Return a Pod with the label of this MyResource's Pods."""
    made = {
        "name": "a",
        "namespace": "default",
        "labels": {"myresource": "web", "pod-template-hash": "5f6d"},
        "creationTimestamp": created,
        "ownerReferences": [{"uid": "r", "kind": "ReplicaSet", "name": owner, "controller": True}],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {**made, **metadata}}


def anew(*pods: Json, after: float = 0) -> Json:
    """Return the answer for a MyResource that was just created, *after* seconds, while there are these *pods*."""
    parent = my_resource()
    parent["metadata"]["creationTimestamp"] = NOW_TEXT
    related = {"Pod.v1": {item["metadata"]["name"]: item for item in pods}}
    first = sync(parent, related=related)
    return sync({**parent, "status": first["status"]}, related=related, now=NOW + timedelta(seconds=after))


def test_a_child_held_by_finalizers_is_terminating_and_names_them_however_long_it_takes() -> None:
    parent = my_resource(**PORTS)
    deployment, ours = finished(parent)
    held = {"deletionTimestamp": BEFORE, "finalizers": ["service.kubernetes.io/load-balancer-cleanup"]}
    children = [deployment, {**ours, "metadata": {**ours["metadata"], **held}}]
    first = sync(parent, *children)

    answer = sync({**parent, "status": first["status"]}, *children, now=NOW + timedelta(hours=1))

    assert kinds(answer) == ["Deployment", "Service"]
    assert (reason(answer), condition(answer, "Reconciling")["status"]) == ("ChildTerminating", "True")
    assert condition(answer)["message"] == (
        "Service web is being deleted. It is recreated once its finalizers are removed: "
        "service.kubernetes.io/load-balancer-cleanup."
    )


API = "mygroup.example.com/v1"
UNREADABLE = {**service(), "spec": "not a spec"}
UNREADABLE["metadata"]["labels"] = ["not", "labels"]


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        pytest.param(service(), "NameConflict", id="no owner"),
        pytest.param(service(apiVersion=API, kind="Other", name="web"), "NameConflict", id="another kind"),
        pytest.param(service(apiVersion=API, kind="MyResource", name="shop"), "NameConflict", id="another name"),
        pytest.param(
            service(apiVersion="example.com/v1", kind="MyResource", name="web"), "NameConflict", id="another group"
        ),
        pytest.param(service(kind="MyResource", name="web"), "NameConflict", id="no group"),
        pytest.param(UNREADABLE, "NameConflict", id="it can't be read"),
        pytest.param(service(going=True, finalizers=["a.example.com/b"]), "ChildTerminating", id="being deleted"),
        pytest.param(service(apiVersion=API, kind="MyResource", name="web"), "ChildTerminating", id="an earlier one"),
    ],
)
def test_a_service_of_another_owner_is_left_out_and_named(there: Json, expected: str) -> None:
    answer = asked(there)
    message = condition(answer)["message"]

    assert (reason(answer), kinds(answer)) == (expected, ["Deployment"])
    assert (f"controller-uid={UID}" in message) is (expected == "NameConflict")
    assert ("It is recreated once" in message) is (expected == "ChildTerminating")


SERVED = my_resource(**PORTS)
OURS = owned(child(sync(SERVED), "Service"), SERVED)


@pytest.mark.parametrize(
    ("children", "there", "expected"),
    [
        pytest.param([], OURS, "Building", id="not yet observed"),
        pytest.param(finished(SERVED), service(), "Available", id="observed"),
    ],
)
def test_a_service_of_ours_is_listed(children: list[Json], there: Json, expected: str) -> None:
    answer = sync(SERVED, *children, related=grouped(there, kinds=("Service",)))

    assert (reason(answer), kinds(answer)) == (expected, ["Deployment", "Service"])


def test_the_remedy_of_an_exposed_myresource_is_a_valid_spec() -> None:
    parent = my_resource(**PORTS, expose={"host": "web.example.com"})

    answer = sync(parent, related=grouped(service(), kinds=("Service", "Ingress")))

    assert reason(answer) == "NameConflict"
    assert "remove spec.expose and set spec.service.mode to Disabled" in condition(answer)["message"]


def test_a_deployment_that_was_left_behind_is_not_taken_over() -> None:
    first, later = anew(pod()), anew(pod(), after=60)

    assert [kinds(answer) for answer in (first, later)] == [[], []]
    assert [reason(answer) for answer in (first, later)] == ["Building", "NameConflict"]
    assert "kubectl label --overwrite deployment web-deployment -n default" in condition(later)["message"]
    assert later["resyncAfterSeconds"] == 60
    assert kinds(anew()) == ["Deployment"], "no Pod is left"


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(pod(created=AFTER), id="made after the MyResource"),
        pytest.param(pod(created=NOW_TEXT), id="made in the same second"),
        pytest.param(pod(created="once"), id="made at no time"),
        pytest.param(pod(deletionTimestamp=BEFORE), id="on its way out"),
        pytest.param(pod(owner="shop-deployment-5f6d"), id="of another Deployment"),
        pytest.param(pod(owner="web-deployment-more-5f6d"), id="of one with a longer name"),
        pytest.param(pod(ownerReferences=[]), id="without an owner"),
    ],
)
def test_other_pods_keep_no_deployment_from_being_made(other: Json) -> None:
    assert kinds(anew(other)) == ["Deployment"]


def test_a_deployment_that_was_handed_over_is_listed_though_its_pods_are_older() -> None:
    parent = my_resource()
    parent["metadata"]["creationTimestamp"] = NOW_TEXT
    (ours,) = [owned(child(sync(parent), "Deployment"), parent)]

    assert kinds(sync(parent, ours, related={"Pod.v1": {"a": pod()}})) == ["Deployment"]
