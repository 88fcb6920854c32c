"""Conditions that a hook sets, and those that it observes."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest

from metahook import Condition, Deployment, Namespace, NamespaceStatus, ready, rolled_out, set_condition
from metahook.protocol.objects import Metadata
from toolkit.hooks.minimal import PARENT, TINY

Json = dict[str, Any]
NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
OTHER: Json = {"type": "Synced", "status": "True"}


def said(conditions: Any, status: Any = "True", *, now: datetime = NOW) -> list[Json]:
    return set_condition(conditions, "Ready", status, "Available", "Enough Pods.", now=now, generation=3)


CONDITION: Json = {
    "type": "Ready",
    "status": "True",
    "observedGeneration": 3,
    "lastTransitionTime": "2026-01-31T12:00:00Z",
    "reason": "Available",
    "message": "Enough Pods.",
}


def test_a_condition_is_added_to_the_others() -> None:
    assert said([]) == [CONDITION]
    assert said([OTHER]) == [OTHER, CONDITION]


def test_the_time_changes_with_the_status_alone() -> None:
    hour = NOW + timedelta(hours=1)
    before = [CONDITION | {"reason": "Before", "observedGeneration": 1}, OTHER]

    assert said(before, now=hour) == [CONDITION, OTHER]
    changed, _ = said(before, "False", now=hour)
    assert (changed["status"], changed["lastTransitionTime"]) == ("False", "2026-01-31T13:00:00Z")


def test_a_time_is_in_utc() -> None:
    here = NOW.astimezone(timezone(timedelta(hours=2)))

    assert said([], now=here) == [CONDITION]


@pytest.mark.parametrize("junk", [None, "x", {"status": "True"}, {"type": "Ready", "lastTransitionTime": None}])
def test_what_others_wrote_leaves_no_null(junk: object) -> None:
    assert said([junk]) == [CONDITION]


@pytest.mark.parametrize(
    ("status", "conditions"),
    [({"conditions": [OTHER]}, [OTHER]), ({"conditions": "x"}, []), ({}, []), (None, [])],
)
def test_a_parent_has_the_conditions_of_its_status(status: object, conditions: list[Json]) -> None:
    assert TINY.request({**PARENT, "status": status}).parent.conditions == conditions


def deployment(generation: int = 2, replicas: int | None = 3, **status: Any) -> Deployment:
    full = {"observedGeneration": 2, "replicas": 3, "updatedReplicas": 3, "availableReplicas": 3, **status}
    spec = {} if replicas is None else {"replicas": replicas}
    manifest = {"metadata": {"name": "web", "generation": generation}, "spec": spec, "status": full}
    return msgspec.convert(manifest, Deployment)


def test_a_deployment_is_rolled_out_once_all_its_pods_are_new_and_available() -> None:
    assert rolled_out(deployment())
    assert not rolled_out(None)
    assert not rolled_out(msgspec.convert({"metadata": {"name": "web"}}, Deployment))


@pytest.mark.parametrize(
    "behind",
    [
        deployment(generation=3),
        deployment(updatedReplicas=2),
        deployment(replicas=4),
        deployment(availableReplicas=2),
        msgspec.structs.replace(deployment(), status=msgspec.structs.replace(deployment().status, replicas=4)),  # type: ignore[type-var] # it has one
    ],
    ids=["a newer spec", "not all updated", "too few", "not all available", "old ones are left"],
)
def test_a_deployment_that_is_behind_is_not_rolled_out(behind: Deployment) -> None:
    assert not rolled_out(behind)


def namespace(**condition: Any) -> Namespace:
    conditions = [Condition(**{"type": "Ready", "status": "True", **condition})]
    return Namespace(Metadata("a", generation=2), NamespaceStatus(conditions=conditions))


def test_an_object_is_ready_if_its_condition_is_true_for_its_newest_generation() -> None:
    assert ready(namespace())
    assert ready(namespace(observed_generation=2))
    assert ready(namespace(type="Bound"), "Bound")
    assert not ready(namespace(observed_generation=1))
    assert not ready(namespace(status="False"))
    assert not ready(namespace(type="Other"))
    assert not ready(Namespace(Metadata("a")))
    available = [{"type": "Available", "status": "True"}]
    assert ready(deployment(conditions=available), "Available")
    assert not ready(deployment(generation=3, conditions=available), "Available")
    old = [{**available[0], "observedGeneration": 1}]  # in a status that another controller wrote later
    assert not ready(deployment(conditions=old), "Available")
    assert not ready(None)
