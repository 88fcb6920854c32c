"""The scenarios: each goes as it says, in the way to apply that it is about or in both, and the hook does no damage."""

from pathlib import Path

import pytest
import yaml

from app.cli.bound import settings, watch_of
from app.core.controller import controller
from metahook.simulator.findings import findings
from metahook.simulator.metacontroller.settings import MODES, Mode
from metahook.simulator.scenarios import Scenario, read_scenario, run_scenario
from metahook.simulator.world import World
from toolkit.slow import short_or_whole

FOLDER = Path(__file__).parents[2] / "examples" / "scenarios"
SCENARIOS = {file.stem: read_scenario(yaml.safe_load(file.read_text())) for file in sorted(FOLDER.glob("*.yaml"))}
PLAYED = [
    (name, mode)
    for number, (name, told) in enumerate(SCENARIOS.items())
    for mode in ([told.mode] if told.mode else short_or_whole([MODES[number % 2]], MODES))
]


def world(scenario: Scenario, mode: Mode, *, controllers: bool = True) -> World:
    """Return the world in which a scenario is played, with the hook set up as it says."""
    watch = watch_of(scenario.watch or {})
    return World(controller(watch), settings(mode, watch), controllers=controllers)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mode"), PLAYED, ids=str)
def test_a_scenario_meets_its_expectations_without_findings(name: str, mode: Mode) -> None:
    cluster = world(SCENARIOS[name], mode)

    outcomes = list(run_scenario(SCENARIOS[name], cluster))

    assert [outcome.problem for outcome in outcomes if outcome.problem] == []
    assert len(outcomes) == len(SCENARIOS[name].steps)
    assert findings(cluster.history) == []


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_a_scenario_without_controllers_fails(name: str) -> None:
    told = SCENARIOS[name]
    cluster = world(told, told.mode or "dynamic-apply", controllers=False)

    assert any(outcome.problem for outcome in run_scenario(told, cluster))
