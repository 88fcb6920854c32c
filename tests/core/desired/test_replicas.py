"""The number of Pods, with an autoscaler or a schedule, and the budget that follows from it."""

import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from typing import Any

import pytest
from pydantic import ValidationError

from app.api.scaling import DAYS, Schedule, time_zone
from app.core.desired.replicas import schedule_state
from metahook import LAST_APPLIED
from metahook.simulator.apiserver.server_side_apply import managed_fields
from tests.requests.builders import Json, child, condition, finished, kinds, my_resource, owned, sync
from toolkit.slow import IS_WHOLE, short_or_whole

AUTOSCALING: Json = {"minReplicas": 2, "maxReplicas": 9, "targetMemoryUtilizationPercentage": 80}
BY_MEMORY = my_resource(autoscaling=AUTOSCALING)
SCALER = "kube-controller-manager"


def observed(replicas: Any, *owners: str, annotated: str | None = None, **spec: Any) -> Json:
    """Return the Deployment with *replicas* that these managers own, under server-side apply unless *annotated*."""
    (deployment, *_) = finished(BY_MEMORY)
    fields = [managed_fields({"spec": {"replicas": replicas}}, owner, "Update")[0] for owner in owners]
    annotations = deployment["metadata"]["annotations"] | ({LAST_APPLIED: annotated} if annotated else {})
    metadata = {**deployment["metadata"], "managedFields": fields, "annotations": annotations}
    return {**deployment, "metadata": metadata, "spec": {**deployment["spec"], "replicas": replicas, **spec}}


def returned(*children: Json, **fields: Any) -> Any:
    """Return the number in the response."""
    return child(sync(my_resource(**(fields or {"autoscaling": AUTOSCALING})), *children), "Deployment")["spec"].get(
        "replicas"
    )


@pytest.mark.parametrize(
    ("replicas", "expected"), [(0, 2), (1, 2), (2, 2), (5, 5), (9, 9), (10, 9), (None, 2), ("5", 2), (-1, 2)], ids=str
)
def test_the_observed_number_is_returned_within_the_bounds(replicas: Any, expected: int) -> None:
    assert returned(observed(replicas)) == expected


def test_a_new_one_has_the_least_and_one_without_autoscaling_that_of_the_spec() -> None:
    assert returned() == 2
    assert returned(observed(5, SCALER), replicas=3) == 3


@pytest.mark.parametrize(
    ("deployment", "expected"),
    [
        pytest.param(observed(5), 5, id="nobody owns it: the API server would set 1"),
        pytest.param(observed(5, "metacontroller"), 5, id="Metacontroller owns it: leaving it out would remove it"),
        pytest.param(observed(5, SCALER), None, id="the autoscaler owns it"),
        pytest.param(observed(5, "metacontroller", SCALER), None, id="both own it"),
        pytest.param(observed(5, SCALER, annotated="{}"), 5, id="dynamic-apply would remove it"),
        pytest.param(observed(1, SCALER), 2, id="it is out of bounds"),
    ],
)
def test_it_is_left_out_where_an_old_number_could_be_written_and_nothing_is_removed(
    deployment: Json, expected: int | None
) -> None:
    assert returned(deployment) == expected


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"spec": {"autoscaling": AUTOSCALING, "image": ""}}, id="an invalid spec"),
        pytest.param({"suspend": True, "autoscaling": AUTOSCALING}, id="suspended"),
        pytest.param({"generation": 0, "autoscaling": AUTOSCALING}, id="a stale request"),
    ],
)
def test_a_deployment_that_is_kept_has_the_number_that_its_autoscaler_has_set(changed: Json) -> None:
    autoscaler = finished(BY_MEMORY)[1]
    kept = [
        child(sync(my_resource(**changed), observed(8, SCALER, annotated=applied), autoscaler), "Deployment")["spec"]
        for applied in ('{"spec": {"replicas": 3, "paused": false}}', '{"spec": {"paused": false}}')
    ]

    assert [spec.get("replicas") for spec in kept] == [8, None]


@pytest.mark.parametrize(("applied", "expected"), [({"replicas": 3}, {"replicas": 3}), ("replicas", "replicas")])
def test_any_other_is_kept_as_it_was_applied_last(applied: Any, expected: Any) -> None:
    deployment = observed(8, SCALER, annotated=json.dumps({"spec": applied}))
    children = [] if isinstance(applied, dict) else finished(BY_MEMORY)[1:]

    assert child(sync(my_resource(image=""), deployment, *children), "Deployment")["spec"] == expected


def test_the_autoscaler_has_the_bounds_targets_and_rules_of_the_spec() -> None:
    behavior = {"scaleDown": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}}
    targets = {"targetCPUUtilizationPercentage": 70, "behavior": {**behavior, "scaleUp": {}}}

    def metric(resource: str, percentage: int) -> Json:
        target = {"type": "Utilization", "averageUtilization": percentage}
        return {
            "type": "ContainerResource",
            "containerResource": {"name": resource, "container": "main", "target": target},
        }

    found = child(sync(my_resource(cpu=1, autoscaling=AUTOSCALING | targets)), "HorizontalPodAutoscaler")

    assert found["spec"] == {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web-deployment"},
        "minReplicas": 2,
        "maxReplicas": 9,
        "metrics": [metric("cpu", 70), metric("memory", 80)],
        "behavior": behavior,
    }


STEP = timedelta(minutes=15)
OFFSETS = (UTC, timezone(timedelta(hours=1)), timezone(timedelta(hours=-9, minutes=-30)))
ZONES = {
    "UTC": "2028-02-24",  # a leap day
    "Europe/Berlin": "2026-10-21",
    "Europe/Dublin": "2026-03-25",  # in summer its daylight saving time is over, by its law
    "Europe/London": "2027-03-24",
    "America/New_York": "2026-03-04",
    "America/St_Johns": "2026-10-28",
    "America/Sao_Paulo": "2026-12-28",  # no daylight saving time; here the end of a year
    "Africa/Casablanca": "2027-02-03",  # an hour back during Ramadan
    "Asia/Kathmandu": "2026-02-25",
    "Australia/Lord_Howe": "2026-09-30",  # half an hour of daylight saving time
    "Pacific/Chatham": "2026-04-01",
    "Pacific/Kiritimati": "2026-08-28",
}
"""The zones, each with a day shortly before something happens there."""

WORKDAYS = {"days": ["Mon", "Tue", "Wed", "Thu", "Fri"], "from": "19:00", "to": "07:00", "replicas": 0}


def clock(zone: str, start: datetime, steps: int) -> Iterator[tuple[datetime, datetime]]:
    """Yield each moment, and the latest time that the clocks of *zone* have shown until then."""
    latest = datetime.min  # noqa: DTZ901 - clocks on the wall
    for step in range(steps):
        now = start + step * STEP
        latest = max(latest, now.astimezone(time_zone(zone)).replace(tzinfo=None))
        yield now, latest


def asked(schedule: Json, time: datetime) -> int | None:
    """Return the replicas of the window in which the clocks show *time*; None if they show it in no window."""
    for window in schedule["sleep"]:
        for day in (time, time - timedelta(days=1)):
            begin, end = f"{day:%F} {window['from']}", f"{day:%F} {window['to']}"
            if window["to"] < window["from"]:
                end = f"{day + timedelta(days=1):%F} {window['to']}"
            is_on = f"{day:%a}" in window["days"] and f"{day:%F}" not in schedule["except"]
            if is_on and begin <= f"{time:%F %H:%M}" < end:
                replicas: int = window["replicas"]
                return replicas
    return None


def overridden(schedule: Json) -> int | None:
    """Return the replicas until overrideUntil."""
    is_asleep = schedule["overrideState"] == "Asleep"
    return min(window["replicas"] for window in schedule["sleep"]) if is_asleep else None


def differences(zone: str, schedule: Json, start: datetime, steps: int, oracle: Callable[..., Any] = asked) -> int:
    """Return at how many steps the state or the next transition is not that of the *oracle*."""
    read = Schedule.model_validate({**schedule, "timeZone": zone})
    until = datetime.fromisoformat(schedule.get("overrideUntil", "2000-01-01T00:00:00Z"))
    expected = [
        (now, overridden(schedule) if now < until else oracle(schedule, time))
        for now, time in clock(zone, start, steps)
    ]
    changes = [now for (_, before), (now, after) in pairwise(expected) if before != after]
    found = 0
    for now, replicas in expected:
        if changes and changes[0] <= now:
            del changes[0]
        state = schedule_state(read, now)
        is_right = state.next_transition == changes[0] if changes else state.next_transition > expected[-1][0]
        found += state.replicas != replicas or not is_right
    return found


def drawn(chance: random.Random, start: datetime, steps: int) -> Json:
    """Return a schedule with windows of any length, often at night, excepted dates of two years, and an override."""
    while True:
        hours = [chance.choice([0, 1, 2, 3, chance.randrange(24)]) for _ in range(8)]
        times = [f"{hour:02}:{chance.choice([0, 15, 30, 45]):02}" for hour in hours]
        sleep = [
            {
                "days": chance.sample(DAYS, chance.randint(1, 7)),
                "from": times.pop(),
                "to": chance.choice([times.pop(), "24:00"]),
                "replicas": chance.randint(0, 2),
            }
            for _ in range(chance.randint(1, 4))
        ]
        dates = [f"{datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=chance.randrange(1000)):%F}" for _ in range(64)]
        try:
            Schedule.model_validate({"sleep": sleep})
        except ValidationError:
            continue
        until = start + chance.randrange(-steps, steps) * STEP
        return {
            "sleep": sleep,
            "except": dates,
            "overrideUntil": until.astimezone(chance.choice(OFFSETS)).isoformat(),
            "overrideState": chance.choice(["Awake", "Asleep"]),
        }


@pytest.mark.slow
@pytest.mark.parametrize("zone", ZONES)
def test_the_state_and_its_end_are_those_of_the_clocks_of_the_zone(zone: str, random_seed: int) -> None:
    chance = random.Random(f"{zone} {random_seed}")  # noqa: S311 - no secret
    start = datetime.fromisoformat(f"{'2026-01-01' if IS_WHOLE else ZONES[zone]}T00:00:00Z")
    steps = short_or_whole(7, 2 * 365) * 96

    for _ in range(short_or_whole(1, 3)):
        schedule = drawn(chance, start, steps)
        assert differences(zone, schedule, start, steps) == 0, schedule


def ends_on_its_day(schedule: Json, time: datetime) -> int | None:
    """Make a mistake: a window that crosses midnight belongs to the day on which it ends."""
    sleep = [
        {**window, "days": [DAYS[DAYS.index(day) - (window["to"] < window["from"])] for day in window["days"]]}
        for window in schedule["sleep"]
    ]
    return asked({**schedule, "sleep": sleep}, time)


def test_an_oracle_with_a_mistake_differs() -> None:
    schedule: Json = {"sleep": [WORKDAYS], "except": ["2026-01-07"]}
    start = datetime(2026, 1, 5, tzinfo=UTC)

    assert differences("UTC", schedule, start, 7 * 96) == 0
    assert differences("UTC", schedule, start, 7 * 96, ends_on_its_day) > 0


@pytest.mark.parametrize(
    ("start", "end", "hours"),
    [
        ("01:00", "04:00", [3, 2, 4]),
        ("01:00", "02:30", [1.5, 1, 1.5]),
        ("02:30", "04:00", [1.5, 1, 2.5]),
        ("02:15", "02:45", [0.5, 0, 0.5]),
    ],
)
def test_a_window_at_a_change_of_the_clocks_is_as_long_as_the_page_says(
    start: str, end: str, hours: list[float]
) -> None:
    read = Schedule.model_validate(
        {"timeZone": "Europe/Berlin", "sleep": [{"days": ["Mon", "Sun"], "from": start, "to": end}]}
    )
    found = []
    for day in ("2026-01-05", "2026-03-29", "2026-10-25"):
        begins = schedule_state(read, datetime.fromisoformat(f"{day}T00:00:00+02:00")).next_transition
        ends = schedule_state(read, begins).next_transition
        found.append((ends - begins) / timedelta(hours=1) if f"{begins:%F}" == day else 0)

    assert found == hours


TWO = my_resource(replicas=2, podDisruptionBudget="Auto")


def test_one_pod_at_a_time_may_be_evicted_and_any_that_is_not_ready() -> None:
    assert child(sync(TWO), "PodDisruptionBudget")["spec"] == {
        "maxUnavailable": 1,
        "selector": {"matchLabels": {"myresource": "web"}},
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
    }


@pytest.mark.parametrize(
    "fields",
    [{"replicas": 2}, {"replicas": 2, "podDisruptionBudget": "Disabled"}]
    + [{"replicas": few, "podDisruptionBudget": "Auto"} for few in (0, 1)],
)
def test_without_the_field_or_a_second_pod_there_is_none(fields: Json) -> None:
    assert kinds(sync(my_resource(**fields), *finished(TWO))) == ["Deployment"]


@pytest.mark.parametrize(("most", "expected"), [(1, False), (2, True)])
def test_with_an_autoscaler_it_depends_on_the_bound_so_that_it_does_not_come_and_go(
    *, most: int, expected: bool
) -> None:
    autoscaling = {"maxReplicas": most, "targetMemoryUtilizationPercentage": 80}
    answer = sync(my_resource(podDisruptionBudget="Auto", autoscaling=autoscaling))

    assert ("PodDisruptionBudget" in kinds(answer)) is expected


EARLIER = ("Deployment", "Service")
"""The kinds that the CompositeController of an earlier release lists."""


def test_an_earlier_composite_controller_loses_no_call_and_the_others_are_created() -> None:
    answer = sync({**TWO, "spec": {**TWO["spec"], "ports": [{"containerPort": 80}]}}, listed=EARLIER)

    assert kinds(answer) == ["Deployment", "Service"]
    assert condition(answer)["reason"] == "KindNotManaged"
    assert "does not list kind PodDisruptionBudget" in condition(answer)["message"]


def test_who_does_not_ask_for_one_notices_no_difference() -> None:
    parent = my_resource()
    deployment = owned(child(sync(parent), "Deployment"), parent)

    assert sync(parent, deployment, listed=EARLIER) == sync(parent, deployment)
