"""Which versions of a Deployment show a loss of Pods."""

from datetime import UTC, datetime

from metahook.simulator.objects import Json, Key
from tests.plans.availability import Availability

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
TEMPLATE: Json = {"metadata": {"labels": {"a": "a"}}, "spec": {"containers": []}}


def item(kind: str, name: str, owner: str = "", **fields: object) -> Json:
    references = {"ownerReferences": [{"uid": owner, "controller": True}]} if owner else {}
    return {"kind": kind, "metadata": {"name": name, "namespace": "default", "uid": name, **references}, **fields}


def pod(number: int, ready: str) -> Json:
    condition = {"type": "Ready", "status": ready, "lastTransitionTime": "2026-01-31T11:00:00Z"}
    return item("Pod", f"pod-{number}", "set", status={"phase": "Running", "conditions": [condition]})


def deployment(available: int, template: Json = TEMPLATE) -> Json:
    spec = {"replicas": 5, "template": template}
    return item("Deployment", "web", spec=spec, status={"availableReplicas": available})


def shows_a_loss(*items: Json) -> bool:
    """Return whether the last version of the Deployment shows a loss, after *items* were stored in their order."""
    availability = Availability()
    for each in [deployment(0), item("ReplicaSet", "set", "web", spec={"replicas": 5, "template": TEMPLATE}), *items]:
        availability.follow(each, NOW)
    return availability.versions(Key("Deployment", "default", "web"), NOW)[-1].has_lost_pods


STARTED = [pod(number, "True") for number in range(5)]
LOST = [pod(number, "False") for number in range(2)]


def test_a_status_that_shows_lost_pods_is_a_loss() -> None:
    assert shows_a_loss(*STARTED, deployment(5), *LOST, deployment(3))


def test_a_status_that_is_behind_pods_that_started_is_none() -> None:
    assert not shows_a_loss(*STARTED, deployment(3))


def test_a_loss_that_the_status_does_not_show_yet_is_none() -> None:
    assert not shows_a_loss(*STARTED, deployment(5), *LOST, deployment(5))


OTHER: Json = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": []}}


def most(*items: Json) -> int:
    """Return how many Pods of the last template were available at once since it is that, after *items*."""
    availability = Availability()
    for each in [deployment(0), item("ReplicaSet", "set", "web", spec={"replicas": 5, "template": TEMPLATE}), *items]:
        availability.follow(each, NOW)
    return availability.versions(Key("Deployment", "default", "web"), NOW)[-1].period.most


def test_a_template_that_was_undone_before_anyone_observed_it_is_no_change() -> None:
    assert most(*STARTED, deployment(5, OTHER), *LOST, deployment(5)) == 5


def test_pods_of_before_do_not_count_once_another_template_was_observed() -> None:
    other = item("ReplicaSet", "other", "web", spec={"replicas": 0, "template": OTHER})

    assert most(*STARTED, deployment(5, OTHER), other, *LOST, deployment(5)) == 3


def test_pods_of_another_template_do_not_count() -> None:
    assert most(*STARTED, deployment(5, OTHER)) == 0
