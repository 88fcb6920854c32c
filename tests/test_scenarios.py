"""The scenarios: each goes as it says, in the way to apply that it is about or in both, and the hook does no damage."""

from pathlib import Path

import pytest
import yaml

from app.cli.simulate import settings, watch_of
from app.cli.simulation.story import names
from app.core.controller import controller
from metahook.simulator.findings import findings
from metahook.simulator.metacontroller.settings import MODES, Mode
from metahook.simulator.play import play
from metahook.simulator.scenario import Follow, Scenario, scenario
from metahook.simulator.world import World

FOLDER = Path(__file__).parent.parent / "examples" / "scenarios"
SCENARIOS = {file.stem: scenario(yaml.safe_load(file.read_text())) for file in sorted(FOLDER.glob("*.yaml"))}
PLAYED = [(name, mode) for name, told in SCENARIOS.items() for mode in ([told.mode] if told.mode else MODES)]


def world(told: Scenario, mode: Mode, *, controllers: bool = True) -> World:
    """Return the world in which a scenario is played, with the hook set up as it says."""
    watch = watch_of(told.follow or Follow())
    return World(controller(watch), settings(mode, watch), controllers=controllers)


@pytest.mark.parametrize(("name", "mode"), PLAYED, ids=str)
def test_a_scenario_goes_as_it_says_and_does_no_damage(name: str, mode: Mode) -> None:
    lives = world(SCENARIOS[name], mode)

    outcomes = list(play(SCENARIOS[name], lives))

    assert [outcome.problem for outcome in outcomes if outcome.problem] == []
    assert len(outcomes) == len(SCENARIOS[name].steps)
    assert findings(lives.history) == []


def test_every_scenario_expects_something_and_is_found_by_its_name() -> None:
    assert names() == sorted(SCENARIOS)
    for told in SCENARIOS.values():
        assert any(step.expect for step in told.steps)


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_a_scenario_in_which_nobody_acts_goes_wrong(name: str) -> None:
    told = SCENARIOS[name]
    lives = world(told, told.mode or "dynamic-apply", controllers=False)

    assert any(outcome.problem for outcome in play(told, lives))
