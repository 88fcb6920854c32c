"""A timeless response: time alone never changes it, so the server may remember it for the same request."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from app.cli.simulate import settings as settings_of
from app.cli.simulate import watch_of
from app.core.child_metadata import GENERATION_STAMP
from app.core.controller import controller
from app.core.status.facts import Facts
from app.core.status.previous_status import PreviousStatus
from metahook import Controller, SyncRequest, SyncResponse
from metahook.simulator.runner import run_scenario
from metahook.simulator.scenario import WatchedObjects, read_scenario
from metahook.simulator.world import World
from tests.build import MYRESOURCE, NOW, finished, my_resource
from tests.documents import ROOT
from tests.given.observed import Situation, situations
from tests.given.pods import pods
from tests.pods import HEALTHY, ago, failed, pod, shown
from tests.slow import short_or_whole
from tests.traffic import RECORDED, load
from tests.watching import WATCHING

Json = dict[str, Any]

LATER = [timedelta(seconds=seconds) for seconds in (1, 29, 61, 600, 86400, 10**10)]
STEPS = (0, 1, 61, 62, 1300)
"""Seconds at which a situation is synced, each time with the status of the last sync."""

SCENARIOS = sorted((ROOT / "examples/scenarios").glob("*.yaml"))


class ChangedByTime(AssertionError):
    """A timeless response is another one at a later time."""


def checked(response: SyncResponse, decide: Controller, request: SyncRequest, now: datetime) -> SyncResponse:
    """Return *response*, which is that to *request* at *now*; raise ChangedByTime."""
    if response.is_timeless:
        body = response.encode()
        for later in LATER:
            if decide.sync(request, now + later).encode() != body:
                raise ChangedByTime(later)
    return response


def settle(situation: Situation, decide: Controller = WATCHING) -> Iterator[SyncResponse]:
    """Yield the response to *situation* at each of STEPS; raise ChangedByTime."""
    for seconds in STEPS:
        now = NOW + timedelta(seconds=seconds)
        request = SyncRequest.decode(situation.body(), decide.children, decide.requirements)
        response = checked(decide.sync(request, now), decide, request, now)
        written = {**response.status, "observedGeneration": situation.parent["metadata"]["generation"]}
        situation = replace(situation, parent={**situation.parent, "status": written})
        yield response


@pytest.mark.slow
@settings(max_examples=short_or_whole(20, 60))
@given(situations(), st.one_of(st.none(), pods))
def test_no_timeless_response_to_what_may_be_observed_changes(situation: Situation, found: list[Json] | None) -> None:
    if found is not None:
        named = json.dumps(shown(*found)).replace(
            "web-deployment", f"{situation.parent['metadata']['name']}-deployment"
        )
        situation = replace(situation, related={**(situation.related or {}), **json.loads(named)})

    assert len(list(settle(situation))) == len(STEPS)


def test_no_timeless_response_to_recorded_traffic_changes() -> None:
    syncs = [recorded for recorded in load() if recorded.path == "/sync"]
    requests = [(SyncRequest.decode(each.body, RECORDED.children), each.now) for each in syncs]

    responses = [checked(RECORDED.sync(request, now), RECORDED, request, now) for request, now in requests]

    assert {response.is_timeless for response in responses} == {True, False}


@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: file.stem)
def test_no_timeless_response_in_a_scenario_changes(file: Any) -> None:
    scenario = read_scenario(yaml.safe_load(file.read_text()))
    watch = watch_of(scenario.watch or WatchedObjects())
    decide = controller(watch)
    responses: list[SyncResponse] = []

    def sync_checked(request: SyncRequest, now: datetime) -> SyncResponse:
        responses.append(checked(decide.sync(request, now), decide, request, now))
        return responses[-1]

    cluster = World(replace(decide, sync=sync_checked), settings_of(scenario.mode or "server-side-apply", watch))

    assert [outcome.problem for outcome in run_scenario(scenario, cluster) if outcome.problem] == []
    assert responses


def deployment(parent: Json, **status: Any) -> Json:
    """Return the Deployment of *parent* whose rollout is complete but for *status*."""
    (made,) = finished(parent)
    return {**made, "status": {**made["status"], **status}}


LATE = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
ASLEEP = my_resource(replicas=0)


@pytest.mark.parametrize(
    ("situation", "reason"),
    [
        pytest.param(Situation(my_resource(), (*finished(my_resource()),)), "Available", id="Ready"),
        pytest.param(
            Situation(my_resource(), (deployment(my_resource(), availableReplicas=0, conditions=[LATE]),)),
            "ProgressDeadlineExceeded",
            id="Failed past its deadline",
        ),
        pytest.param(Situation(ASLEEP, (*finished(ASLEEP),)), "ScaledToZero", id="scaled to zero"),
        pytest.param(Situation(my_resource(configReload={"mode": "No"})), "InvalidSpec", id="invalid"),
    ],
)
def test_the_response_to_what_stays_as_it_is_is_timeless(situation: Situation, reason: str) -> None:
    first, *others = settle(situation, MYRESOURCE)

    assert first.status["conditions"][0]["reason"] == reason
    assert [first.is_timeless, *(each.is_timeless for each in others)] == [False, True, True, True, True]


def without(condition: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make responses timeless regardless of *condition*."""
    without_timer: dict[str, Callable[[Facts], bool]] = {
        "nothing is sent again": lambda facts: facts.is_resending,
        "no failed Pod is counted": lambda facts: facts.diagnosis.failed_pods > 0,
        "the parent is not being deleted": lambda facts: facts.parent.deleting,
    }
    if condition in without_timer:
        others = [holds for name, holds in without_timer.items() if name != condition]
        has_changes = property(lambda facts: any(holds(facts) for holds in others))
        monkeypatch.setattr(Facts, "has_changes_without_timer", has_changes)
    elif condition == "no timer is ahead":
        monkeypatch.setattr("app.core.sync.resync", lambda *_: None)
    else:
        monkeypatch.setattr(PreviousStatus, "equals", lambda *_: True)


def drifted() -> Situation:
    """Return a situation in which another client keeps setting the number of replicas."""
    (made,) = finished(my_resource())
    return Situation(my_resource(), ({**made, "spec": {**made["spec"], "replicas": 7}},))


def stale() -> Situation:
    """Return a situation in which a parent that is being deleted is older than its Deployment."""
    (made,) = finished(my_resource(generation=2))
    annotations = {**made["metadata"]["annotations"]}
    assert annotations[GENERATION_STAMP].startswith("2-")
    return Situation(my_resource(generation=1, deleting=True), (made,))


def recovered() -> Situation:
    """Return a situation in which a Pod was replaced after it failed, and another one is missing."""
    parent = my_resource(replicas=2, progressDeadlineSeconds=30)
    ready = [{"type": "Ready", "status": "True", "lastTransitionTime": ago(40)}]
    fresh = pod(made=ago(50), status={"phase": "Running", "containerStatuses": [HEALTHY], "conditions": ready})
    lost = deployment(parent, replicas=1, updatedReplicas=1, availableReplicas=1, readyReplicas=1)
    return Situation(parent, (lost,), shown(fresh, failed("Evicted", seconds=60)))


NEEDED: dict[str, Callable[[], Situation]] = {
    "no timer is ahead": lambda: Situation(my_resource()),
    "the status is the observed one": lambda: Situation(my_resource(), (*finished(my_resource()),)),
    "nothing is sent again": drifted,
    "no failed Pod is counted": recovered,
    "the parent is not being deleted": stale,
}
"""The conditions of a timeless response, each with a situation in which no other one holds it back."""


@pytest.mark.parametrize("condition", NEEDED)
def test_each_condition_is_needed(condition: str, monkeypatch: pytest.MonkeyPatch) -> None:
    situation = NEEDED[condition]()
    assert len(list(settle(situation, MYRESOURCE))) == len(STEPS)

    without(condition, monkeypatch)

    with pytest.raises(ChangedByTime):
        list(settle(situation, MYRESOURCE))


def test_the_rules_of_customize_are_timeless() -> None:
    recorded = next(each for each in load() if each.path == "/customize")

    assert RECORDED.call_customize(recorded.body).is_timeless
