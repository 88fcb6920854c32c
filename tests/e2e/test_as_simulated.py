"""Scenarios have the same requests and writes in the simulator and on the real control plane."""

import pytest

from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.namespace import Namespace
from tests.e2e.scenarios import SCENARIOS, Simulated, Step
from tests.e2e.side_by_side import run_side_by_side


@pytest.mark.parametrize("steps", SCENARIOS.values(), ids=list(SCENARIOS))
def test_a_scenario_equals_the_simulated_one(here: Namespace, mode: Mode, steps: list[Step]) -> None:
    real, expected = run_side_by_side(steps, here, Simulated(mode))

    assert real.steps == expected.steps
    assert real.writes == expected.writes
