"""A MyResource with a schedule: what it is at a transition, asleep and awake."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.api.examples.schedule import schedule, window
from tests.requests.builders import (
    NOW,
    Json,
    applied,
    child,
    condition,
    finished,
    my_resource,
    owned,
    reason,
    rolled_out,
    sync,
)
from tests.requests.pods import ago

NIGHT = datetime.fromisoformat("2026-01-31T19:00:00Z")
MORNING = datetime.fromisoformat("2026-02-01T07:00:00Z")


def sleeper(status: Json | None = None, *windows: Json, more: Json | None = None, **fields: Any) -> Json:
    """Return a MyResource of three Pods that sleeps at night in UTC; *more* are fields of its schedule."""
    return my_resource(status=status, **{"replicas": 3, **schedule(*windows, **(more or {})), **fields})


def settled(now: datetime, status: Json | None = None, *windows: Json, **fields: Any) -> tuple[Json, list[Json]]:
    """Return the answer once all is as it asks for at *now*, and the children."""
    parent = sleeper(status, *windows, **fields)
    made = [owned(item, parent) for item in sync(parent, now=now)["children"]]
    children = [rolled_out(item) if item["kind"] == "Deployment" else item for item in made]
    return sync(parent, *children, now=now), children


def shown(answer: Json) -> tuple[str, str, Json]:
    return answer["status"]["state"], reason(answer), answer["status"]["schedule"]


def test_asleep_it_is_ready_and_says_when_it_wakes_up() -> None:
    answer, children = settled(NIGHT)

    assert child(answer, "Deployment")["spec"]["replicas"] == 0
    schedule = {"state": "Asleep", "replicas": 0, "nextTransition": "2026-02-01T07:00:00Z"}
    assert shown(answer) == ("Sleeping", "Sleeping", schedule)
    assert (condition(answer)["status"], answer["resyncAfterSeconds"]) == ("True", 12 * 3600)
    assert len(children) == len(answer["children"])


def test_awake_it_has_the_pods_of_its_spec_until_the_next_window() -> None:
    answer, _ = settled(NOW + timedelta(milliseconds=500))

    assert child(answer, "Deployment")["spec"]["replicas"] == 3
    assert shown(answer) == ("Ready", "Available", {"state": "Awake", "nextTransition": "2026-01-31T19:00:00Z"})
    assert answer["resyncAfterSeconds"] == 7 * 3600


def test_the_time_is_that_of_its_zone_with_its_offset() -> None:
    answer, _ = settled(NOW, more={"timeZone": "Asia/Kathmandu"})

    assert answer["status"]["schedule"]["nextTransition"] == "2026-01-31T19:00:00+05:45"


@pytest.mark.parametrize(("before", "after"), [(NOW, NIGHT), (NIGHT, MORNING)], ids=["falls asleep", "wakes up"])
def test_a_transition_is_a_rollout_and_no_loss(before: datetime, after: datetime) -> None:
    answer, children = settled(before)
    first = sync(sleeper(answer["status"]), *children, now=after)
    scaled = applied(children[0], first)
    scaling = sync(sleeper(first["status"]), scaled, now=after)
    last, _ = settled(after, scaling["status"])

    reached = answer["status"]["schedule"]["state"]
    assert [shown(each)[:2] for each in (first, scaling)] == [("Building", "Building"), ("Building", "RollingOut")]
    assert {each["status"]["schedule"]["state"] for each in (first, scaling)} == {reached}
    assert shown(last)[2]["state"] != reached
    assert {"override", "countedAt"}.isdisjoint(last["status"])


def test_a_window_with_other_replicas_is_a_transition_too() -> None:
    windows = window(), window("07:00", "19:00", replicas=2, days=["Sun"])
    answer, children = settled(NIGHT, None, *windows)
    falling = sync(sleeper(answer["status"], *windows), *children, now=MORNING)

    waking = sync(sleeper(answer["status"], *windows), applied(children[0], falling), now=MORNING)

    assert shown(waking)[:2] == ("Building", "RollingOut")


@pytest.mark.parametrize("last", ["", NIGHT.isoformat()], ids=["first", "after three reverted changes"])
def test_a_transition_changes_what_the_autoscaler_has_set_and_is_no_override(last: str) -> None:
    """The number of Pods is the autoscaler's field, and the bounds of the autoscaler may be in a conflict."""
    spec: Json = {"autoscaling": {"minReplicas": 2, "maxReplicas": 9, "targetMemoryUtilizationPercentage": 80}}
    spec |= schedule()
    deployment, autoscaler = finished(my_resource(**spec))
    answer = sync(my_resource(**spec), deployment, autoscaler)
    scale = {"manager": "kube-controller-manager", "operation": "Update", "subresource": "scale", "time": ago(60)}
    entries = [{**scale, "fieldsV1": {"f:spec": {"f:replicas": {}}}}]
    deployment["metadata"]["managedFields"] = entries
    edit = {**entries[0], "manager": "kubectl-edit", "fieldsV1": {"f:spec": {"f:maxReplicas": {}}}}
    autoscaler["metadata"] |= {"managedFields": [edit], "resourceVersion": "7"}
    autoscaler["spec"]["maxReplicas"] = 5
    fight = {"what": "spec.maxReplicas of HorizontalPodAutoscaler web", "count": 3, "revertedAt": ago(-6.9 * 3600)}
    status = {**answer["status"], **({"override": fight} if last else {})}

    asleep = sync(my_resource(status=status, **spec), deployment, autoscaler, now=NIGHT)

    assert reason(asleep) == "Building"
    assert child(asleep, "Deployment")["spec"]["replicas"] == 0
    assert child(asleep, "HorizontalPodAutoscaler")["spec"]["maxReplicas"] == 9
    assert asleep["status"].get("override") == (fight if last else None)


def test_pods_that_are_lost_while_it_is_awake_are_a_loss() -> None:
    answer, children = settled(NOW)
    lost = {**children[0], "status": {**children[0]["status"], "availableReplicas": 1}}

    assert shown(sync(sleeper(answer["status"]), lost))[:2] == ("Degraded", "ReplicasUnavailable")


def test_asleep_without_pods_nothing_is_missing() -> None:
    needy: Json = {"envFrom": [{"configMapRef": {"name": "settings"}}]}
    missing: Json = {"ConfigMap.v1": {}}
    made = child(settled(NIGHT, **needy)[0], "Deployment")
    parent = sleeper(**needy)

    assert reason(sync(parent, rolled_out(owned(made, parent)), related=missing, now=NIGHT)) == "Sleeping"
    assert reason(sync(parent, *finished(parent), related=missing)) == "ConfigNotFound"


def test_asleep_by_override_has_the_fewest_pods_of_all_windows() -> None:
    windows = window(replicas=2), window("07:00", "08:00", replicas=1)
    answer, _ = settled(NOW, None, *windows, more={"overrideUntil": "2026-02-01T07:30:00Z", "overrideState": "Asleep"})

    assert answer["status"]["schedule"] == {"state": "Asleep", "replicas": 1, "nextTransition": "2026-02-01T08:00:00Z"}


@pytest.mark.parametrize(
    "fields", [{"suspend": True}, {"configReload": {"mode": "Sometimes"}}], ids=["suspended", "invalid"]
)
def test_what_is_kept_follows_no_schedule(fields: Json) -> None:
    _, children = settled(NOW)

    answer = sync(sleeper(**fields), *children, now=NIGHT)

    assert child(answer, "Deployment").get("spec", {}).get("replicas", 3) == 3
    assert "schedule" not in answer["status"]
    assert "resyncAfterSeconds" not in answer


def test_a_deleted_one_has_no_schedule() -> None:
    answer = sync({**sleeper(), "metadata": my_resource(deleting=True)["metadata"]})

    assert "schedule" not in answer["status"]
    assert "resyncAfterSeconds" not in answer


@pytest.mark.parametrize(("now", "replicas", "asleep", "kinds"), [(NIGHT, 3, 0, 2), (NIGHT, 1, 0, 1), (NOW, 1, 2, 2)])
def test_a_budget_stays_day_and_night(now: datetime, replicas: int, asleep: int, kinds: int) -> None:
    answer, _ = settled(now, None, window(replicas=asleep), podDisruptionBudget="Auto", replicas=replicas)

    assert len(answer["children"]) == kinds


def test_the_autoscaler_steps_aside_while_it_sleeps() -> None:
    fields: Json = {"autoscaling": {"minReplicas": 2, "maxReplicas": 9, "targetMemoryUtilizationPercentage": 80}}
    windows = window(), window("07:00", "08:00", replicas=1)
    fields |= {"podDisruptionBudget": "Auto", "replicas": 1}
    answer, found = None, []
    for now in (NIGHT, MORNING, MORNING + timedelta(hours=1)):
        answer, children = settled(now, answer and answer["status"], *windows, **fields)
        bounds = child(answer, "HorizontalPodAutoscaler")["spec"]
        number = child(answer, "Deployment")["spec"]["replicas"]
        found.append((shown(answer)[0], number, bounds["minReplicas"], bounds["maxReplicas"], len(children)))

    assert found == [("Sleeping", 0, 2, 9, 3), ("Sleeping", 1, 1, 1, 3), ("Ready", 2, 2, 9, 3)]
