"""Scenarios have the same requests and writes in the simulator and on the real control plane."""

import pytest

from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.led import led
from tests.e2e.lives import LIVES, Simulated, Step
from tests.e2e.namespace import Namespace


@pytest.mark.parametrize("steps", LIVES.values(), ids=list(LIVES))
def test_a_scenario_equals_the_simulated_one(here: Namespace, mode: Mode, steps: list[Step]) -> None:
    real, expected = led(steps, here, here, Simulated(mode))

    assert real.steps == expected.steps
    assert real.writes == expected.writes
