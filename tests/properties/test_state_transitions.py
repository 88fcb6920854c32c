"""A condition's lastTransitionTime moves with its status alone, and states follow one another as the page says."""

import json
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.state_transitions import is_possible
from tests.requests.builders import EARLIER_TEXT, NOW, NOW_TEXT, Json
from tests.requests.watched_objects import WATCHING
from tests.strategies.my_resources import parents
from tests.strategies.observed import Situation, situations
from toolkit.slow import short_or_whole

EARLIER = datetime.fromisoformat(EARLIER_TEXT)
_parent = st.shared(parents(), key="the parent of both")


def answered(situation: Situation, now: datetime) -> Json:
    """Return the status of the answer."""
    status: Json = json.loads(WATCHING.handle_sync(situation.body(), now).body)["status"]
    return status


def conditions(situation: Situation, now: datetime) -> dict[str, Json]:
    """Return the conditions of the answer by type."""
    return {item["type"]: item for item in answered(situation, now)["conditions"]}


@pytest.mark.slow
@settings(max_examples=short_or_whole(40, 600))
@given(situations(_parent), situations(_parent))
def test_the_transition_time_moves_only_with_the_status(first: Situation, second: Situation) -> None:
    before = conditions(first, EARLIER)
    status = {"state": "Building", "conditions": list(before.values())}
    after = conditions(Situation({**second.parent, "status": status}, second.children, second.related), NOW)

    for kind, found in after.items():
        kept = kind in before and before[kind]["status"] == found["status"]
        assert found["lastTransitionTime"] == (before[kind]["lastTransitionTime"] if kept else NOW_TEXT)


@pytest.mark.slow
@settings(max_examples=short_or_whole(40, 600))
@given(situations(_parent), situations(_parent))
def test_no_other_state_follows(first: Situation, second: Situation) -> None:
    before = answered(first, EARLIER)
    metadata = {**second.parent["metadata"], **_deleted(first.parent)}
    parent = {**second.parent, "metadata": metadata, "status": before}

    assert is_possible(before, answered(Situation(parent, second.children, second.related), NOW))


def _deleted(parent: Json) -> Json:
    """Return the part of the metadata of *parent* that stays once it is deleted."""
    return {key: value for key, value in parent["metadata"].items() if key == "deletionTimestamp"}


@given(parents())
def test_a_new_one_is_building_failed_or_suspended(parent: Json) -> None:
    assert is_possible({}, answered(Situation({**parent, "status": {}}), NOW))


READY = {"state": "Ready", "readyGeneration": 1, "conditions": [{"observedGeneration": 1}]}


def test_a_state_that_can_not_follow_would_be_found() -> None:
    assert not is_possible({}, READY), "it is new"
    assert not is_possible({**READY, "state": "Terminating"}, READY), "it is being deleted"
    assert not is_possible(READY, {**READY, "state": "Degraded", "conditions": [{"observedGeneration": 2}]}), "changed"
