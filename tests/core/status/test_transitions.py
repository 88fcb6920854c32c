"""Since when conditions have their status, whatever status the request has."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from app.core.timers import format_time
from metahook.protocol.request_builder import Grouped
from tests.requests.builders import NOW, Json, condition, my_resource, owned, sync
from tests.requests.pods import container, pod, shown
from tests.requests.watched_objects import config_map, related

CREATED, STAMPED, COMPLETE, CHANGED, LOST, BACK = (f"2026-01-31T12:0{minute}:00Z" for minute in range(6))
LATER, LATER_TEXT = NOW + timedelta(hours=1), "2026-01-31T13:00:00Z"


def parent(
    status: Json | None = None,
    *,
    generation: int = 1,
    changed: str = CREATED,
    stored: str = "",
    **spec: Any,
) -> Json:
    """Return a MyResource whose spec was *changed* then, and whose status was *stored* as soon as it could be."""
    made = my_resource(generation=generation, status=status, **{"replicas": 2, **spec})
    made["metadata"]["managedFields"] = [
        {"time": changed, "manager": "kubectl", "operation": "Update"},
        {"time": stored or _first_stored(status), "manager": "metacontroller", "subresource": "status"},
    ]
    return made


def _first_stored(status: Json | None) -> str:
    """Return the latest time in *status*, or CREATED."""
    return max([CREATED, *(str(each["lastTransitionTime"]) for each in (status or {}).get("conditions", []))])


def deployment(
    of: Json,
    *,
    stamped: str = STAMPED,
    available: str = COMPLETE,
    counted: str = COMPLETE,
    progressed: str = COMPLETE,
    configuration: Grouped | None = None,
    **status: Any,
) -> Json:
    """Return the Deployment of a parent, updated at *stamped*, whose Pods were counted last at *counted*."""
    made = next(owned(item, of) for item in sync(of, related=configuration)["children"] if item["kind"] == "Deployment")
    made["metadata"]["managedFields"] = [{"time": counted, "subresource": "status"}, {"time": stamped}]
    counts = {"replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2, "observedGeneration": 1}
    conditions = [
        {"type": "Available", "status": "True", "lastTransitionTime": available},
        {
            "type": "Progressing",
            "status": "True",
            "reason": "NewReplicaSetAvailable",
            "lastUpdateTime": progressed,
            "lastTransitionTime": STAMPED,
        },
    ]
    if status.get("availableReplicas") == 0:
        conditions[0]["status"] = "False"
    return {**made, "status": {**counts, "conditions": conditions, **status}}


def times(answer: Json) -> dict[str, tuple[str, str]]:
    return {each["type"]: (each["status"], each["lastTransitionTime"]) for each in answer["status"]["conditions"]}


BUILDING = sync(parent())["status"]
READY = sync(parent(BUILDING), deployment(parent()), now=LATER)["status"]


def test_the_times_are_those_of_what_is_observed() -> None:
    assert times({"status": BUILDING}) == {
        "Ready": ("False", CREATED),
        "Available": ("False", CREATED),
        "Progressing": ("Unknown", CREATED),
        "Reconciling": ("True", CREATED),
    }
    assert times({"status": READY}) == {
        "Ready": ("True", COMPLETE),
        "Available": ("True", COMPLETE),
        "Progressing": ("True", STAMPED),
    }


@pytest.mark.parametrize("before", [BUILDING, READY], ids=["old", "current"])
def test_the_same_children_show_the_same_times_however_late_and_whatever_the_previous_status(before: Json) -> None:
    stopped = deployment(parent(), counted=LOST)  # when its old Pods had stopped

    answer = sync(parent(before), stopped, now=LATER + timedelta(minutes=5))

    assert times(answer) == times({"status": READY})


def test_a_new_generation_is_never_ready_since_the_one_before() -> None:
    changed = parent(READY, generation=2, changed=CHANGED)
    complete = deployment(changed, stamped=CHANGED, progressed=LOST, counted=LOST)

    building = times(sync(changed, deployment(parent()), now=LATER))
    stale = times(sync(changed, complete, now=LATER))

    assert (building["Ready"], building["Progressing"]) == (("False", CHANGED), ("Unknown", CHANGED))
    assert (stale["Ready"], stale["Progressing"]) == (("True", LOST), ("True", CHANGED))
    assert stale["Available"] == building["Available"] == ("True", COMPLETE)


def test_an_invalid_spec_changes_only_the_conditions_about_it() -> None:
    invalid = parent(READY, generation=2, changed=CHANGED, image="no image")

    answer = times(sync(invalid, deployment(parent()), now=LATER))

    assert answer["Ready"] == ("False", CHANGED)
    assert answer["Stalled"] == ("True", CHANGED)
    assert {answer[name] for name in ("Available", "Progressing")} == {("True", COMPLETE), ("True", STAMPED)}


AUTOSCALING: Json = {"minReplicas": 2, "maxReplicas": 9, "targetMemoryUtilizationPercentage": 80}


@pytest.mark.parametrize(
    "spec", [{}, {"replicas": 1, "autoscaling": AUTOSCALING}], ids=["no autoscaler", "an autoscaler"]
)
def test_ready_again_is_not_ready_since_before(spec: Json) -> None:
    autoscalers = [owned(item, parent()) for item in sync(parent(**spec))["children"] if item["kind"] != "Deployment"]
    lost = deployment(parent(**spec), available=LOST, counted=LOST, availableReplicas=0)
    back = deployment(parent(**spec), available=BACK, counted=BACK)

    unready = sync(parent(READY, **spec), lost, *autoscalers, now=datetime.fromisoformat(LOST))
    fresh, stale = (
        sync(parent(status, **spec), back, *autoscalers, now=LATER) for status in (unready["status"], READY)
    )

    assert times(unready)["Ready"] == times(unready)["Available"] == ("False", LOST)
    assert times(fresh)["Ready"] == times(fresh)["Available"] == ("True", BACK)
    assert times(stale)["Ready"] == times(stale)["Available"] == ("True", BACK)


def test_waking_up_is_a_rollout_of_its_own() -> None:
    window: Json = {"days": ["Mon"], "from": "03:00", "to": "04:00"}
    awake: Json = {"schedule": {"timeZone": "UTC", "sleep": [window]}}
    slept = parent({**READY, "schedule": {"state": "Asleep", "replicas": 0}}, **awake)

    answer = sync(slept, deployment(slept, stamped=CHANGED, updatedReplicas=1), now=LATER)

    assert times(answer)["Progressing"] == ("True", CHANGED)


def test_a_time_is_never_earlier_than_the_one_before() -> None:
    ahead = {**READY, "conditions": [{**each, "lastTransitionTime": BACK} for each in READY["conditions"]]}

    answer = sync(parent(ahead), deployment(parent(), available=LOST, counted=LOST, availableReplicas=0), now=LATER)

    assert times(answer)["Available"] == times(answer)["Ready"] == ("False", LATER_TEXT)  # nothing is later than BACK


@pytest.mark.parametrize(
    ("since", "shown"),
    [(STAMPED, CREATED), (STAMPED.replace(":00Z", ":01Z"), CREATED), (LOST, LOST)],
    ids=["never available", "never, by the next second of the controller", "lost"],
)
def test_available_is_false_since_the_creation_unless_pods_were_lost(since: str, shown: str) -> None:
    unavailable = deployment(parent(), available=since, availableReplicas=0)

    assert times(sync(parent(BUILDING), unavailable, now=LATER))["Available"] == ("False", shown)


def test_what_got_well_is_not_since_when_it_is_not_ready() -> None:
    surplus = deployment(parent(), available=CHANGED, counted=LOST, replicas=3)

    assert times(sync(parent(READY), surplus, now=LATER))["Ready"] == ("False", LOST)


@pytest.mark.parametrize("mistaken", ["9999-12-31T23:59:59Z", "2026-01-31T15:00:00Z"])
def test_a_time_far_in_the_future_is_a_mistake(mistaken: str) -> None:
    before = {**READY, "conditions": [{**each, "lastTransitionTime": mistaken} for each in READY["conditions"]]}

    lost = deployment(parent(), available=mistaken, counted=LOST, availableReplicas=0)
    answer = sync(parent(before, stored=COMPLETE), lost, now=LATER)

    assert times(answer)["Ready"] == ("False", LOST)


def test_nothing_shows_since_when_a_child_is_missing() -> None:
    assert condition(sync(parent(READY), now=LATER))["lastTransitionTime"] == "2026-01-31T13:00:00Z"


def test_a_deadline_is_the_time_of_what_it_decides() -> None:
    waiting = sync(parent(READY), now=LATER)["status"]

    stuck = sync(parent(waiting, stored="2026-01-31T13:00:00Z"), now=LATER + timedelta(seconds=75))

    assert times(stuck)["Stalled"] == ("True", "2026-01-31T13:01:00Z")
    assert times(stuck)["Ready"] == ("False", "2026-01-31T13:00:00Z")


def test_the_deadline_of_another_child_is_not_the_time_of_a_rollout() -> None:
    ports: Json = {"ports": [{"containerPort": 80}]}
    waiting = sync(parent(READY, **ports), deployment(parent(**ports)), now=LATER)["status"]
    failed = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
    late = deployment(parent(**ports), conditions=[{**failed, "lastTransitionTime": "2026-01-31T13:10:00Z"}])

    stuck = sync(parent(waiting, stored="2026-01-31T13:00:00Z", **ports), late, now=LATER + timedelta(minutes=30))
    again = sync(parent(stuck["status"], **ports), late, now=LATER + timedelta(minutes=31))

    assert times(stuck)["Progressing"] == times(again)["Progressing"] == ("False", "2026-01-31T13:10:00Z")


def at(seconds: int) -> str:
    return format_time(NOW + timedelta(seconds=seconds))


def crashed(at_second: int) -> Json:
    """Return a Pod whose container crashed then, not for the first time, and runs again."""
    last = {"terminated": {"exitCode": 1, "startedAt": at(at_second - 60), "finishedAt": at(at_second)}}
    return pod(container(state={"running": {"startedAt": at(at_second + 1)}}, last=last, restarts=3, ready=True))


def test_a_loss_that_pods_alone_show_is_as_old_as_their_failure_and_not_as_the_status_of_the_deployment() -> None:
    stopped = deployment(parent(), counted=CHANGED)  # when its old Pods had stopped, after it was Ready

    lost, again, later = (
        sync(parent(READY), stopped, related=shown(crashed(1800)), now=NOW + timedelta(seconds=seconds))
        for seconds in (1800, 1810, 1900)  # these requests lack the last status
    )
    recovered = sync(parent(lost["status"]), stopped, related=shown(crashed(1800)), now=NOW + timedelta(seconds=2500))

    assert times(lost)["Available"] == times(lost)["Ready"] == ("False", at(1800))
    assert times(lost) == times(again) == times(later)
    assert times(recovered)["Available"] == times(recovered)["Ready"] == ("True", at(1801 + 600))


def settings(created: str) -> Grouped:
    item = config_map("settings", level="debug")
    return related({**item, "metadata": {**item["metadata"], "creationTimestamp": created}})


@pytest.mark.parametrize("optional", [False, True])
def test_ready_is_not_older_than_what_its_pods_need(*, optional: bool) -> None:
    """The ConfigMap was deleted and created again, in statuses that the request lacks."""
    spec: Json = {"envFrom": [{"configMapRef": {"name": "settings", "optional": optional}}]}
    first, second = settings(CREATED), settings(LOST)
    complete = deployment(parent(**spec), configuration=first)
    ready = sync(parent(BUILDING, **spec), complete, related=first, now=LATER)["status"]

    answer = sync(parent(ready, **spec), complete, related=second, now=LATER)

    assert times({"status": ready})["Ready"] == ("True", COMPLETE)
    assert times(answer)["Ready"] == ("True", COMPLETE if optional else LOST)


@pytest.mark.parametrize("stored", [COMPLETE, LOST])
def test_what_another_client_writes_to_the_deployment_is_news_since_then(stored: str) -> None:
    written = deployment(parent(), stamped=LOST, observedGeneration=0)

    answer = times(sync(parent(READY, stored=stored), written, now=LATER))

    assert answer["Progressing"] == ("Unknown", LOST)
    assert answer["Ready"] == ("False", LATER_TEXT if stored == LOST else LOST)


def test_nothing_is_older_than_the_last_status_that_had_another_value() -> None:
    unready = {**READY, "conditions": [{**each, "status": "Unknown"} for each in READY["conditions"]]}

    answer = times(sync(parent(unready, stored=BACK), deployment(parent()), now=LATER))

    assert {time for _, time in answer.values()} == {LATER_TEXT}
