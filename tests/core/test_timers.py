"""When time alone changes the answer, the answer asks to be called then."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import assume, given, settings

from app.core.timers import after, parse_time, resync
from tests.requests.builders import NOW, NOW_TEXT, Json, finished, my_resource, reason, sync
from tests.requests.watched_objects import WATCHING
from tests.strategies.my_resources import parents, scheduled_specs
from tests.strategies.observed import Situation, situations

CALM = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


def rolling(since: str | None, reason: str = "ReplicaSetUpdated", status: str = "True", **spec: Any) -> Json:
    """Return a Deployment whose rollout has gone on, as far as it says, since *since*."""
    (made,) = finished(my_resource(replicas=3, **spec))
    progressing = {"type": "Progressing", "status": status, "reason": reason, "lastUpdateTime": since}
    made["status"] = {**made["status"], "updatedReplicas": 1, "conditions": [progressing]}
    return made


def test_the_next_timer_counts_in_whole_seconds_and_never_none() -> None:
    def at(seconds: float) -> datetime:
        return CALM + timedelta(seconds=seconds)

    assert resync([at(9), at(2.1), None, at(-5), at(0)], CALM) == 3
    assert resync([at(0.001)], CALM) == 1
    assert resync([at(0), at(-1), None], CALM) is None
    assert resync([at(10**7)], CALM) == 86400


def test_a_time_is_in_utc_wherever_it_was_written_and_one_that_no_calendar_has_is_none() -> None:
    odd = ["2026-02-30T12:00:00Z", "soon", None, "0001-01-01T00:00:00+05:00", "2026-01-31T12:00:00.1234567890Z"]

    assert {parse_time(text) for text in odd} == {None}
    assert after(datetime.max.replace(tzinfo=UTC), 1) is None
    assert str(parse_time("2026-01-31T17:00:00+05:00")) == str(CALM)


def with_spec(deployment: Json, **spec: Any) -> Json:
    return {**deployment, "spec": {**deployment["spec"], **spec}}


def complete(**status: Any) -> Json:
    """Return a Deployment of one Pod that is complete, but for *status*."""
    (made,) = finished(my_resource())
    conditions = [{"type": "Progressing", "status": "True", "lastUpdateTime": NOW_TEXT}]
    return {**made, "status": {**made["status"], "conditions": conditions, **status}}


THREE, WAS_READY = my_resource(replicas=3), my_resource(replicas=3, status={"readyGeneration": 1})
QUICK = my_resource(replicas=3, progressDeadlineSeconds=100)
LOST, ROLLING = rolling(NOW_TEXT, "NewReplicaSetAvailable"), rolling(NOW_TEXT)
LATE = "Building RollingOut", "Failed ProgressDeadlineExceeded"
STALLED = "Degraded ReplicasUnavailable", "Failed ReplicasUnavailable"


@pytest.mark.parametrize(
    ("parent", "deployment", "seconds", "expected"),
    [
        pytest.param(QUICK, rolling(NOW_TEXT, progressDeadlineSeconds=100), 700, LATE, id="a rollout"),
        pytest.param(THREE, ROLLING, 1200, LATE, id="the deadline of Kubernetes"),
        pytest.param(THREE, with_spec(ROLLING, progressDeadlineSeconds="soon"), 1200, LATE, id="one that is no number"),
        # The Deployment counts the time of rollouts alone: not that of a scale-up which never fits.
        pytest.param(THREE, LOST, 600, LATE, id="Pods that are missing without a rollout"),
        pytest.param(WAS_READY, LOST, 600, STALLED, id="Pods that are lost"),
        pytest.param(my_resource(), complete(observedGeneration=0), 600, LATE, id="its controller does not look at it"),
    ],
)
def test_what_is_not_ready_is_late_by_the_clock_when_it_was_announced(
    parent: Json, deployment: Json, seconds: int, expected: tuple[str, str]
) -> None:
    first = sync(parent, deployment)
    waited = {**parent, "status": first["status"]}
    early, late = (sync(waited, deployment, now=NOW + timedelta(seconds=at)) for at in (seconds - 1, seconds))

    found = [f"{answer['status']['state']} {reason(answer)}" for answer in (first, early, late)]

    assert found == [expected[0], *expected]
    assert [answer.get("resyncAfterSeconds") for answer in (first, early, late)] == [seconds, 1, None]


@pytest.mark.parametrize(
    ("since", "stored", "deadline"),
    [(None, NOW_TEXT, 600), ("", NOW_TEXT, 600), ("soon", NOW_TEXT, 600), (None, "2026-01-31T11:59:00Z", 1200)],
    ids=["no time", "an empty one", "a word", "and the clocks differ"],
)
def test_a_rollout_of_which_no_time_is_known_is_late_by_our_own_clock(
    since: str | None, stored: str, deadline: int
) -> None:
    first = sync(my_resource(replicas=3), rolling(since))
    waited = my_resource(replicas=3, status=first["status"])
    waited["metadata"]["managedFields"] = [{"time": stored, "subresource": "status"}]

    assert first["resyncAfterSeconds"] == 600
    early, late = (sync(waited, rolling(since), now=NOW + timedelta(seconds=deadline + more)) for more in (-1, 0))
    assert (reason(early), reason(late)) == ("RollingOut", "ProgressDeadlineExceeded")


def test_a_child_to_be_deleted_sets_no_timer_once_it_is_not_applied() -> None:
    children = finished(my_resource(ports=[{"containerPort": 80}]))
    first = sync(my_resource(), *children)
    stuck = sync(my_resource(status=first["status"]), *children, now=NOW + timedelta(seconds=60))

    assert (reason(first), first["resyncAfterSeconds"]) == ("Building", 60)
    assert (reason(stuck), stuck.get("resyncAfterSeconds")) == ("NotApplied", None)


def statuses(situation: Situation) -> tuple[Json, Json]:
    """Return the status once it was written, and the one at the last moment before the resync that is announced."""
    first = json.loads(WATCHING.handle_sync(situation.body(), NOW).body)
    written = replace(situation, parent={**situation.parent, "status": first["status"]})
    second = json.loads(WATCHING.handle_sync(written.body(), NOW).body)
    before = timedelta(seconds=second.get("resyncAfterSeconds", 10**9) - 1)
    return second["status"], json.loads(WATCHING.handle_sync(written.body(), NOW + before).body)["status"]


@settings(max_examples=60)
@given(situations() | situations(parents(scheduled_specs())))
def test_time_alone_changes_a_status_only_at_the_announced_resync(situation: Situation) -> None:
    assume("deletionTimestamp" not in situation.parent["metadata"])

    written, before_resync = statuses(situation)

    assert before_resync == written


def test_a_change_that_is_not_announced_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.core.sync.resync", lambda *_: None)

    written, later = statuses(Situation(my_resource()))

    assert later != written
