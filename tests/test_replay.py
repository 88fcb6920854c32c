"""Recorded histories, replayed with this hook's own children: when is a MyResource Ready?"""

from pathlib import Path
from typing import Any

import pytest

from tests.build import condition, reason, sync
from tests.given.observed import Situation
from tests.oracle import ready_is_earned
from tests.traffic import FOLDER, Recorded, Replayed, as_ours, load, replay

Json = dict[str, Any]

FINISHED = {
    "dynamic-apply": [5, 10, 17, 25, 31, 32, 38, 42, 58, 59, 62, 63, 66, 72, 76, 77, 83],
    "server-side-apply": [5, 10, 16, 24, 27, 28, 29, 34, 38, 55, 56, 58, 59, 62, 68, 72, 73, 88],
}
"""The recorded syncs that show a rollout which is finished, of the generation that the parent has.

dynamic-apply/0030 is none: it still has 7 Pods of 3, which ``kubectl rollout status`` would pass.
"""
JUST_CHANGED = {"dynamic-apply": [7, 12, 19, 23], "server-side-apply": [7, 12, 18, 22]}
"""Those that show a new spec, and the Deployment of the previous one, which looks finished."""


def _names(listed: dict[str, list[int]]) -> set[str]:
    return {f"{mode}/{number:04}" for mode, numbers in listed.items() for number in numbers}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each test the replayed syncs of the folder that was asked for."""
    if "replayed" in metafunc.fixturenames:
        found = load(Path(metafunc.config.getoption("traffic") or FOLDER))
        metafunc.parametrize("replayed", list(replay(found)), ids=lambda item: item.name)


def test_ready_is_true_exactly_where_the_rollout_is_finished(replayed: Replayed) -> None:
    ready = condition(replayed.answer)["status"] == "True"

    assert ready == (replayed.name in _names(FINISHED))
    assert ready == ready_is_earned(replayed.situation, replayed.answer)


def test_right_after_a_change_the_reason_is_that_it_is_not_written_yet(replayed: Replayed) -> None:
    changed = replayed.name in _names(JUST_CHANGED)

    assert not changed or reason(replayed.answer) == "Building"


def test_the_curated_files_show_finished_rollouts_and_new_specs_in_both_modes() -> None:
    curated = {record.name for record in load(FOLDER)}

    assert {name.split("/")[0] for name in curated & _names(FINISHED)} == {"dynamic-apply", "server-side-apply"}
    assert {name.split("/")[0] for name in curated & _names(JUST_CHANGED)} == {"dynamic-apply", "server-side-apply"}


def _without_its_variable(record: Recorded) -> Situation:
    """Return *record*, a finished one, right after its only variable was removed from the spec."""
    parent = record.parent
    spec = {key: value for key, value in parent["spec"].items() if key != "env"}
    children = tuple(as_ours(child, parent, {1: parent["spec"]}) for child in record.situation().children)
    changed = {**parent, "spec": spec, "status": {}, "metadata": {**parent["metadata"], "generation": 2}}
    return Situation(changed, children, {})


with_a_variable = pytest.mark.parametrize(
    "record",
    [record for record in load(FOLDER) if record.name in ("dynamic-apply/0076", "server-side-apply/0072")],
    ids=lambda record: record.name,
)


@with_a_variable
def test_a_removed_variable_is_not_ready_before_it_is_gone(record: Recorded) -> None:
    situation = _without_its_variable(record)

    answer = sync(situation.parent, *situation.children)

    assert record.parent["spec"]["env"]
    assert reason(answer) == "Building"
    assert not ready_is_earned(situation, answer)


@with_a_variable
def test_without_the_applied_mark_a_removed_variable_would_be_ready_at_once(
    record: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    for child in ("deployment", "service"):
        monkeypatch.setattr(f"app.core.{child}.applied", lambda _: "the same for all")
    situation = _without_its_variable(record)

    answer = sync(situation.parent, *situation.children)

    assert reason(answer) == "Available"
