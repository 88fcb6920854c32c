"""Recorded traffic: what a real Metacontroller asked, in both of its modes, still gets the answer of then.

After a change that is meant to change answers, ``python -m tests.e2e.traffic`` records again; without a control plane,
``pytest tests/recorded/test_traffic.py --update-golden`` writes what is answered now into the files.
"""

from pathlib import Path
from typing import Any

import pytest

from metahook.simulator.metacontroller.settings import MODES
from metahook.simulator.objects import to_json
from tests.docs.documents import printed
from tests.e2e.traffic_scenarios import SCENARIOS
from tests.recorded.normalization import chance
from tests.recorded.traffic import WITHOUT_PODS, Recorded, load, one, store
from toolkit.mutations import at, places, replaced, spelled

TRAFFIC = load()
each_request = pytest.mark.parametrize("recorded", TRAFFIC, ids=str)


@each_request
def test_a_recorded_request_gets_the_answer_recorded(recorded: Recorded, pytestconfig: pytest.Config) -> None:
    if pytestconfig.getoption("update_golden"):
        store([item.with_content({**item.content, "response": item.answered_now()}) for item in TRAFFIC])
        return

    assert recorded.holds()


def _changed(leaf: Any) -> Any:
    return leaf + "x" if isinstance(leaf, str) else not leaf if isinstance(leaf, bool) else leaf + 1


@pytest.mark.parametrize("mode", MODES)
def test_a_change_anywhere_in_an_answer_is_noticed(mode: str) -> None:
    recorded = one(f"{mode}/rollout-4-ports-added-rest")
    leaves = [path for path in places(recorded.answer) if not isinstance(at(recorded.answer, path), dict | list)]

    assert len(leaves) > 60
    for path in leaves:
        damaged = replaced(recorded.answer, path, _changed)
        assert not recorded.with_content({**recorded.content, "response": damaged}).holds(), spelled(path)


def test_every_moment_of_every_life_is_recorded_in_both_modes() -> None:
    moments = {
        f"{mode}/{life}-{number}-{step.name}-{kept}"
        for mode in MODES
        for life, steps in SCENARIOS.items()
        for number, step in enumerate(steps)
        for kept in step.keeps
    }

    assert {recorded.name for recorded in TRAFFIC} == moments


@each_request
def test_a_recording_holds_nothing_of_chance(recorded: Recorded) -> None:
    assert chance(recorded.text()) == []


def test_replay_finds_no_difference(tmp_path: Path) -> None:
    for number, recorded in enumerate(TRAFFIC):
        (tmp_path / f"{number}.json").write_text(recorded.text())
    said = printed(f".venv/bin/myresource replay {WITHOUT_PODS} {tmp_path}")

    assert said == f"{len(TRAFFIC)} requests: {len(TRAFFIC)} the same, 0 differ; no Pods restart\n"


@pytest.mark.parametrize("recorded", [item for item in TRAFFIC if item.name.startswith(MODES[0])], ids=str)
def test_both_modes_get_the_same_answer_at_the_same_moment(recorded: Recorded) -> None:
    assert to_json(one(recorded.name.replace(*MODES)).answer) == to_json(recorded.answer)
