"""When time alone changes the answer, the answer asks to be called then."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import assume, given, settings

from app.core.timers import after, parse_time, resync
from tests.requests.builders import NOW, NOW_TEXT, finished, my_resource, reason, sent_again, sync
from tests.requests.watched_objects import WATCHING
from tests.strategies.my_resources import parents, scheduled_specs
from tests.strategies.observed import Situation, situations

Json = dict[str, Any]

CALM = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


def rolling(since: str | None, reason: str = "ReplicaSetUpdated", status: str = "True", **spec: Any) -> Json:
    """Return a Deployment whose rollout has gone on, as far as it says, since *since*."""
    (made,) = finished(my_resource(replicas=3, **spec))
    progressing = {"type": "Progressing", "status": status, "reason": reason, "lastUpdateTime": since}
    made["status"] = {**made["status"], "updatedReplicas": 1, "conditions": [progressing]}
    return made


def answer_at(seconds: float, deployment: Json, **spec: Any) -> Json:
    return sync(my_resource(replicas=3, **spec), deployment, now=NOW + timedelta(seconds=seconds))


def test_the_next_timer_counts_in_whole_seconds_and_never_none() -> None:
    def at(seconds: float) -> datetime:
        return CALM + timedelta(seconds=seconds)

    assert resync([at(9), at(2.1), None, at(-5), at(0)], CALM) == 3
    assert resync([at(0.001)], CALM) == 1
    assert resync([at(0), at(-1), None], CALM) is None
    assert resync([at(10**7)], CALM) == 86400


def test_a_time_that_no_calendar_has_is_none() -> None:
    assert after(datetime.max.replace(tzinfo=UTC), 1) is None
    assert parse_time("2026-02-30T12:00:00Z") is None
    assert parse_time("soon") is parse_time(None) is None
    assert parse_time("0001-01-01T00:00:00+05:00") is None
    assert parse_time("2026-01-31T12:00:00.1234567890Z") is None


def test_a_time_is_in_utc_wherever_it_was_written() -> None:
    assert parse_time("2026-01-31T17:00:00+05:00") == CALM
    assert str(parse_time("2026-01-31T17:00:00+05:00")) == str(CALM)


def test_a_rollout_that_nobody_says_is_late_is_late_by_the_clock() -> None:
    started = rolling(NOW_TEXT, progressDeadlineSeconds=100)

    waits = answer_at(10, started, progressDeadlineSeconds=100)
    late = answer_at(700, started, progressDeadlineSeconds=100)

    assert (reason(waits), waits["resyncAfterSeconds"]) == ("RollingOut", 690)
    assert (reason(late), late["status"]["state"]) == ("ProgressDeadlineExceeded", "Failed")
    assert "resyncAfterSeconds" not in late


def test_without_a_deadline_kubernetes_own_counts() -> None:
    assert answer_at(0, rolling(NOW_TEXT))["resyncAfterSeconds"] == 1200


@pytest.mark.parametrize(
    ("since", "stored", "deadline"),
    [(None, NOW_TEXT, 600), ("", NOW_TEXT, 600), ("soon", NOW_TEXT, 600), (None, "2026-01-31T11:59:00Z", 1200)],
    ids=["no time", "an empty one", "a word", "and the clocks differ"],
)
def test_a_rollout_of_which_no_time_is_known_is_late_by_our_own_clock(
    since: str | None, stored: str, deadline: int
) -> None:
    first = answer_at(0, rolling(since))
    waited = my_resource(replicas=3, status=first["status"])
    waited["metadata"]["managedFields"] = [{"time": stored, "subresource": "status"}]

    assert first["resyncAfterSeconds"] == 600
    early, late = (sync(waited, rolling(since), now=NOW + timedelta(seconds=deadline + more)) for more in (-1, 0))
    assert (reason(early), reason(late)) == ("RollingOut", "ProgressDeadlineExceeded")


def test_a_deadline_that_is_no_number_is_that_of_kubernetes() -> None:
    odd = rolling(NOW_TEXT)
    odd["spec"] = {**odd["spec"], "progressDeadlineSeconds": "soon"}

    assert answer_at(0, odd)["resyncAfterSeconds"] == 1200


def test_pods_that_are_missing_without_a_rollout_are_late_after_the_deadline() -> None:
    """The Deployment counts the time of rollouts alone: not that of a scale-up which never fits."""
    lost = rolling(NOW_TEXT, "NewReplicaSetAvailable")
    first = answer_at(0, lost)
    waited = my_resource(replicas=3, status=first["status"])

    late = sync(waited, lost, now=NOW + timedelta(seconds=600))

    assert (reason(first), first["resyncAfterSeconds"]) == ("RollingOut", 600)
    assert (reason(late), late["status"]["state"]) == ("ProgressDeadlineExceeded", "Failed")
    assert "resyncAfterSeconds" not in late


def test_pods_that_are_lost_for_longer_than_the_deadline_are_stalled_under_the_same_reason() -> None:
    lost = rolling(NOW_TEXT, "NewReplicaSetAvailable")
    first = sync(my_resource(replicas=3, status={"readyGeneration": 1}), lost)

    late = sync(my_resource(replicas=3, status=first["status"]), lost, now=NOW + timedelta(seconds=600))

    assert [(reason(answer), answer["status"]["state"]) for answer in (first, late)] == [
        ("ReplicasUnavailable", "Degraded"),
        ("ReplicasUnavailable", "Failed"),
    ]


def test_a_deployment_that_its_controller_does_not_look_at_is_late_after_the_deadline() -> None:
    (made,) = finished(my_resource())
    made["status"]["observedGeneration"] = 0
    first = sync(my_resource(), made)

    late = sync(my_resource(status=first["status"]), made, now=NOW + timedelta(seconds=600))

    assert (reason(first), first["resyncAfterSeconds"]) == ("RollingOut", 600)
    assert reason(late) == "ProgressDeadlineExceeded"


def test_a_paused_rollout_has_no_deadline() -> None:
    paused = rolling(NOW_TEXT)
    paused["spec"] = {**paused["spec"], "paused": True}

    assert reason(answer_at(10**6, paused)) == "Paused"


def test_a_finished_rollout_is_ready_whatever_the_clock_says() -> None:
    (made,) = finished(my_resource())
    made["status"]["conditions"] = [{"type": "Progressing", "status": "True", "lastUpdateTime": NOW_TEXT}]

    assert reason(sync(my_resource(), made, now=NOW + timedelta(days=1))) == "Available"


def test_a_child_that_is_not_written_is_stuck_after_a_minute() -> None:
    first = sync(my_resource())
    later = my_resource(status={**first["status"], "observedGeneration": 1})

    assert first["resyncAfterSeconds"] == 60
    assert sync(later, now=NOW + timedelta(seconds=20.5))["resyncAfterSeconds"] == 40
    assert reason(sync(later, now=NOW + timedelta(seconds=60))) == "NotApplied"
    assert sync(later, now=NOW + timedelta(seconds=60))["resyncAfterSeconds"] == 60
    assert sync(later, now=NOW + timedelta(seconds=150))["resyncAfterSeconds"] == 30


def test_a_clock_that_jumps_back_starts_the_minute_anew() -> None:
    first = sync(my_resource(), now=NOW + timedelta(days=1))
    back = my_resource(status={**first["status"], "observedGeneration": 1})

    answer = sync(back, now=NOW)

    assert (reason(answer), answer["resyncAfterSeconds"]) == ("Building", 60)
    assert answer["status"]["waiting"]["since"] == NOW_TEXT


def test_a_child_to_be_deleted_sets_no_timer_once_it_is_not_applied() -> None:
    children = finished(my_resource(ports=[{"containerPort": 80}]))
    first = sync(my_resource(), *children)
    stuck = sync(my_resource(status=first["status"]), *children, now=NOW + timedelta(seconds=60))

    assert (reason(first), first["resyncAfterSeconds"]) == ("Building", 60)
    assert (reason(stuck), stuck.get("resyncAfterSeconds")) == ("NotApplied", None)


def test_a_deleted_parent_sets_no_timer() -> None:
    assert "resyncAfterSeconds" not in sync(my_resource(deleting=True))


def test_a_value_that_another_client_keeps_sets_no_timer() -> None:
    (made,) = finished(my_resource(replicas=3))
    made["spec"] = {**made["spec"], "replicas": 5}
    first = sync(my_resource(replicas=3), made)
    stuck = my_resource(replicas=3, status={**first["status"], "observedGeneration": 1})
    resent = sent_again(stuck, made)

    answer = sync(stuck, resent, now=NOW + timedelta(seconds=90))

    assert reason(answer) == "Overridden"
    assert "resyncAfterSeconds" not in answer


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
