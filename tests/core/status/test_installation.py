"""The condition OperatorMisconfigured: what is wrong with the installation of the operator."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from app.core.controller import controller
from app.core.timers import format_time
from app.core.watch import Watch
from metahook import InstallationProblem
from metahook.protocol.request_builder import sync_request
from tests.requests.builders import MYRESOURCE, NOW, NOW_TEXT, Json, condition, finished, grouped, my_resource, sync
from tests.requests.installation import request
from toolkit.installation import RIGHT
from toolkit.mutations import replaced

TYPE = "OperatorMisconfigured"
SYNC = ("spec", "hooks", "sync")
LOOSE = replaced(RIGHT, (*SYNC, "version"), lambda _: "v1")
WRONG = {
    "ResponsesNotStrict": replaced(LOOSE, (*SYNC, "webhook", "responseUnMarshallMode"), lambda _: None),
    "SelectorNotGenerated": replaced(RIGHT, ("spec", "generateSelector"), lambda _: False),
    "WrongUpdateMethod": replaced(RIGHT, ("spec", "childResources", 1, "updateStrategy"), lambda _: None),
    "FinalizeHookNotServed": replaced(RIGHT, ("spec", "hooks"), lambda hooks: {**hooks, "finalize": {}}),
    "CustomizeHookMissing": replaced(RIGHT, ("spec", "hooks", "customize"), lambda _: None),
    "HookVersionNotV2": LOOSE,
    "HookTimeoutOutOfRange": replaced(RIGHT, (*SYNC, "webhook", "timeout"), lambda _: "1m0s"),
}


def answered(controller: object, *, after: Json | None = None, **spec: Any) -> Json:
    """Return the answer; *after* is the one of an hour ago."""
    status, now = (after["status"], NOW + timedelta(hours=1)) if after else (None, NOW)
    answer: Json = json.loads(MYRESOURCE.handle_sync(request(controller, status, **spec), now).body)
    return answer


def misconfigured(answer: Json) -> Json:
    found: list[Json] = [each for each in answer["status"]["conditions"] if each["type"] == TYPE]
    return found[0] if found else {}


def less(answer: Json) -> Json:
    """Return *answer* without the condition."""
    conditions = [each for each in answer["status"]["conditions"] if each["type"] != TYPE]
    return {**answer, "status": {**answer["status"], "conditions": conditions}}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_installation_adds_one_condition_and_changes_nothing_else(name: str) -> None:
    wrong, right = answered(WRONG[name]), answered(RIGHT)

    assert misconfigured(wrong)["status"] == "True"
    assert misconfigured(wrong)["reason"] == name
    assert misconfigured(wrong)["message"] == InstallationProblem[name].message
    assert less(wrong) == right == answered({})


def test_every_finding_is_seen_and_only_the_most_severe_one_reported() -> None:
    both = replaced(WRONG["HookTimeoutOutOfRange"], ("spec", "generateSelector"), lambda _: False)

    assert {*WRONG, "OutdatedCRD", "ClockSkewed"} == {finding.name for finding in InstallationProblem}
    assert misconfigured(answered(both))["reason"] == "SelectorNotGenerated"


def test_its_message_names_the_page_where_the_setting_says() -> None:
    elsewhere = controller(Watch(docs_url="https://docs.example.com/docs"))
    answer: Json = json.loads(elsewhere.handle_sync(request(WRONG["WrongUpdateMethod"], None), NOW).body)

    message = f"{InstallationProblem.WrongUpdateMethod.message} See https://docs.example.com/docs/apps/troubleshoot.md."
    assert misconfigured(answer)["message"] == message


def test_a_spec_without_a_default_of_the_crd_is_of_an_older_one() -> None:
    assert misconfigured(answered(RIGHT, securityProfile=None)) == {}  # null is no absence
    assert misconfigured(answered(RIGHT, ports=[{"containerPort": 80}]))["reason"] == "OutdatedCRD"
    assert misconfigured(answered(RIGHT, ports=[{"containerPort": 80, "protocol": "TCP"}])) == {}
    assert misconfigured(answered({}, ports=[{"containerPort": 80}])) == {}


def test_the_transition_time_stays_while_the_condition_is_there() -> None:
    first = answered(WRONG["ResponsesNotStrict"])
    second = answered(WRONG["HookVersionNotV2"], after=first)
    repaired = answered(RIGHT, after=first)
    again = answered(WRONG["HookVersionNotV2"], after=repaired)

    assert misconfigured(first)["lastTransitionTime"] == misconfigured(second)["lastTransitionTime"] == NOW_TEXT
    assert misconfigured(repaired) == {}
    assert misconfigured(again)["lastTransitionTime"] == "2026-01-31T13:00:00Z"


ROLLING = {"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated", "lastUpdateTime": NOW_TEXT}
SPEC: Json = {"replicas": 3, "progressDeadlineSeconds": 60}


def rolling(ahead: int, *, status: Json | None = None, stored: str = NOW_TEXT, **progress: str) -> Json:
    """Return the answer five seconds after a rollout began, from a hook whose clock is *ahead* by seconds.

    The previous status is of when it began, by that clock, and *stored* is when the API server stored it.
    """
    (deployment,) = finished(my_resource(**SPEC))
    conditions = [{**ROLLING, **progress}]
    deployment["status"] = {**deployment["status"], "updatedReplicas": 1, "conditions": conditions}
    parent = my_resource(**SPEC)
    parent["status"] = status or sync(parent, now=NOW + timedelta(seconds=ahead))["status"]
    parent["metadata"]["managedFields"] = [{"time": stored, "subresource": "status"}]
    return sync(parent, deployment, now=NOW + timedelta(seconds=ahead + 5))


@pytest.mark.parametrize("ahead", [0, 30, 31, 120, -26, -60])
def test_a_clock_that_is_not_that_of_the_cluster_is_found_and_makes_no_rollout_late(ahead: int) -> None:
    answer = rolling(ahead, lastUpdateTime="2026-01-31T12:00:05Z")

    assert misconfigured(answer).get("reason") == (None if -30 <= ahead <= 30 else "ClockSkewed")
    assert condition(answer)["reason"] == "RollingOut"


@pytest.mark.parametrize(("ahead", "expected"), [(120, "RollingOut"), (700, "ProgressDeadlineExceeded")])
def test_a_clock_that_nothing_shows_makes_a_rollout_late_only_if_it_is_far_ahead(ahead: int, expected: str) -> None:
    """The last one is the negative control: it is the time of the stored status that shows the clock."""
    assert condition(rolling(ahead, stored=""))["reason"] == expected


class Replicas:
    """Replicas of the hook with clocks of their own, and the time at which the API server stored the last status."""

    def __init__(self) -> None:
        self._parent = my_resource()

    def sync(self, at: int, ahead: int = 0) -> Json:
        """Return the answer of the replica whose clock is *ahead*."""
        answer = sync(self._parent, now=NOW + timedelta(seconds=at + ahead))
        if answer["status"] != self._parent.get("status"):
            self._parent["status"] = answer["status"]
            stored = (NOW + timedelta(seconds=at)).strftime("%Y-%m-%dT%H:%M:%SZ")
            self._parent["metadata"]["managedFields"] = [{"time": stored, "subresource": "status"}]
        return answer


@pytest.mark.parametrize("clocks", [(0, 120), (120, 0), (0, -120), (-120, 0), (120,), (-120,)], ids=str)
def test_a_wait_that_another_clock_began_is_never_over_early(clocks: tuple[int, ...]) -> None:
    replicas = Replicas()
    answers = [replicas.sync(at, clocks[at % len(clocks)]) for at in range(60)]

    assert {condition(answer)["reason"] for answer in answers} == {"Building"}
    assert len({json.dumps(answer["status"]) for answer in answers[6:]}) == 1  # no fight of the two
    later = [replicas.sync(at, clocks[at % len(clocks)]) for at in range(60, 801, 37)]
    assert condition(later[-1])["reason"] == "NotApplied"
    if len(set(clocks)) > 1:
        assert condition(later[-1], "Stalled")["lastTransitionTime"] < "2026-01-31T12:10:00Z"  # no time of the hook
        assert misconfigured(answers[-1])["reason"] == "ClockSkewed"


def test_the_same_clock_judges_after_a_minute_and_after_an_outage_anew() -> None:
    replicas, away = Replicas(), Replicas()

    waits = [condition(replicas.sync(at))["reason"] for at in (0, 59, 60, 61)]
    assert waits == ["Building", "Building", "NotApplied", "NotApplied"]
    assert [condition(away.sync(at))["reason"] for at in (0, 300, 359, 360)] == [*["Building"] * 3, "NotApplied"]


def test_the_clock_is_remembered_beside_a_more_severe_finding() -> None:
    body = {**json.loads(request(LOOSE, rolling(120)["status"], **SPEC)), "children": grouped()}

    found = json.loads(MYRESOURCE.handle_sync(json.dumps(body).encode(), NOW).body)

    assert misconfigured(found)["reason"] == "ClockSkewed"


def stored(at: datetime, status: Json, *, changed: str = NOW_TEXT, generation: int = 1) -> Json:
    """Return the parent whose *status* the API server stored *at* a time, and whose spec was *changed*."""
    parent = my_resource(**SPEC, status=status, generation=generation)
    times = [{"time": format_time(at), "subresource": "status"}, {"time": changed}]
    return {**parent, "metadata": {**parent["metadata"], "managedFields": times}}


@pytest.mark.parametrize("ahead", [120, 600])
def test_the_finding_stays_at_rest_until_a_change_of_the_spec_shows_that_the_clocks_agree(ahead: int) -> None:
    skew, found = timedelta(seconds=ahead), rolling(ahead)
    later = rolling(ahead, status=found["status"], stored="2026-01-31T12:10:00Z")
    complete, rests = NOW + timedelta(minutes=15), NOW + timedelta(hours=3)
    parent = stored(complete - timedelta(seconds=1), later["status"])
    ready = sync(parent, *finished(parent), now=complete + skew)
    parent = stored(complete, ready["status"])

    assert condition(later)["reason"] == "RollingOut"
    assert condition(found, TYPE)["lastTransitionTime"] == NOW_TEXT  # and not two minutes later
    assert misconfigured(later)["reason"] == misconfigured(ready)["reason"] == "ClockSkewed"
    assert condition(ready)["lastTransitionTime"] <= format_time(complete)
    for clock in (skew, timedelta()):
        assert sync(parent, *finished(parent), now=rests + clock)["status"] == ready["status"]

    late = timedelta(minutes=1)
    cases = (
        (skew, timedelta(), ("ClockSkewed", "ClockSkewed")),
        (timedelta(), timedelta(), (None, None)),
        (timedelta(), late, ("ClockSkewed", None)),
    )
    for clock, after, reasons in cases:
        parent = stored(complete, ready["status"], changed=format_time(rests - after), generation=2)
        changed = sync(parent, *finished(my_resource(**SPEC)), now=rests + clock)
        parent = stored(rests, changed["status"], changed=format_time(rests - after), generation=2)
        again = sync(parent, *finished(my_resource(**SPEC)), now=rests + clock)
        assert tuple(misconfigured(each).get("reason") for each in (changed, again)) == reasons


def test_a_time_of_a_clock_that_was_ahead_is_corrected_to_when_it_was_stored() -> None:
    parent = my_resource(**SPEC)
    ready = sync(parent, *finished(parent), now=NOW + timedelta(minutes=10))["status"]
    assert condition({"status": ready})["lastTransitionTime"] == "2026-01-31T12:10:00Z"  # nothing shows the clock yet
    parent = stored(NOW, ready)

    corrected = sync(parent, *finished(parent), now=NOW + timedelta(hours=1))
    again = sync(stored(NOW + timedelta(hours=1), corrected["status"]), *finished(parent), now=NOW + timedelta(hours=2))

    assert condition(corrected)["lastTransitionTime"] == NOW_TEXT
    assert misconfigured(corrected)["reason"] == "ClockSkewed"
    assert again["status"] == corrected["status"]


def test_the_finding_is_counted() -> None:
    parent = my_resource()
    parent["status"] = sync(parent, now=NOW + timedelta(minutes=2))["status"]
    parent["metadata"]["managedFields"] = [{"time": NOW_TEXT, "subresource": "status"}]

    summary = MYRESOURCE.handle_sync(sync_request(parent, grouped(), {}), NOW + timedelta(minutes=2)).summary

    assert summary.findings == (InstallationProblem.ClockSkewed,)
