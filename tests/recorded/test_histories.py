"""Recorded lives: in which moments is a MyResource Ready, and for what reason is it not?"""

import json

import pytest

from metahook.simulator.metacontroller.settings import MODES
from tests.properties.oracle import ready_is_earned
from tests.recorded.traffic import Recorded, load, one
from tests.requests.builders import condition, reason

SYNCS = [recorded for recorded in load() if recorded.path == "/sync"]
each_sync = pytest.mark.parametrize("recorded", SYNCS, ids=str)
each_mode = pytest.mark.parametrize("mode", MODES)

READY = {
    "rollout-1-pods-available-first",
    "rollout-1-pods-available-rest",
    "rollout-2-image-changed-rest",
    "rollout-4-ports-added-rest",
    "scaled-0-to-zero-rest",
    "label-1-removed-first",
}
"""The moments that show a rollout which is finished, of the generation that the parent has."""

JUST_CHANGED = {
    "rollout-2-image-changed-first",
    "rollout-3-variable-removed-first",
    "rollout-4-ports-added-first",
    "rollout-5-ports-removed-first",
    "scaled-1-to-three-first",
    "failing-1-image-bad-first",
}
"""Those that show a new spec, and the Deployment of the previous one, which looks finished."""


def _moment(recorded: Recorded) -> str:
    return recorded.name.partition("/")[2]


@each_sync
def test_ready_is_true_exactly_where_the_rollout_is_finished(recorded: Recorded) -> None:
    answer = recorded.answered_now()
    ready = condition(answer)["status"] == "True"

    assert ready == (_moment(recorded) in READY)
    assert ready == ready_is_earned(recorded.situation(), answer)


@pytest.mark.parametrize("recorded", [item for item in SYNCS if _moment(item) in JUST_CHANGED], ids=str)
def test_right_after_a_change_the_reason_is_that_it_is_not_written_yet(recorded: Recorded) -> None:
    (deployment,) = (item for item in recorded.situation().children if item["kind"] == "Deployment")
    counts = [deployment["status"].get(name, 0) for name in ("replicas", "updatedReplicas", "availableReplicas")]

    assert counts == [deployment["spec"]["replicas"]] * 3
    assert reason(recorded.answered_now()) == "Building"


def test_every_moment_that_is_named_is_recorded_in_both_modes() -> None:
    names = {recorded.name for recorded in SYNCS}

    assert {f"{mode}/{moment}" for mode in MODES for moment in READY | JUST_CHANGED} <= names


@each_mode
def test_an_invalid_spec_keeps_what_was_applied_for_the_spec_before(mode: str) -> None:
    before, invalid = one(f"{mode}/invalid-1-spec-invalid-first"), one(f"{mode}/invalid-1-spec-invalid-rest")

    assert invalid.answer["children"] == before.answer["children"]
    assert "nginx:1.27" in json.dumps(invalid.answer["children"])
    assert invalid.parent["spec"]["image"] == "nginx:1.28"
