"""The simulator and the real thing lead the same lives: the hook is asked the same, and the same is written."""

import pytest

from app.simulator.metacontroller.settings import Mode
from tests.e2e.lives import LIVES, Simulated, Step
from tests.e2e.namespace import Namespace
from tests.e2e.trace import Exchange, by_object, recorded, simulated, traces
from tests.worlds import Since

QUIET = 1.0
"""Seconds: longer than elsewhere, as nothing else is waited for between two steps."""


class Steps:
    """The traces of a life, step by step."""

    def __init__(self) -> None:
        self.traces: list[dict[str, list[str]]] = []
        self._count = 0

    def end(self, exchanges: list[Exchange]) -> None:
        """End a step, after all these *exchanges* since the beginning."""
        self.traces.append(traces(exchanges[self._count :]))
        self.skip(exchanges)

    def skip(self, exchanges: list[Exchange]) -> None:
        """Compare nothing of this step."""
        self._count = len(exchanges)


@pytest.mark.parametrize("steps", LIVES.values(), ids=list(LIVES))
def test_a_life_is_led_as_in_the_simulator(here: Namespace, mode: Mode, steps: list[Step]) -> None:
    played = Simulated(mode)
    expected, done = Since(played.world), here.since()
    asked, should = Steps(), Steps()

    for step in steps:
        step(played)
        played.is_still()
        step(here)
        here.is_still(QUIET)
        expected_exchanges = simulated(played.world.history.calls("sync", "customize"))
        exchanges = recorded(here.exchanges())
        if here.find("MyResource"):
            should.end(expected_exchanges)
            asked.end(exchanges)
        else:  # when it is gone, chance decides whether the hook is asked once more
            should.skip(expected_exchanges)
            asked.skip(exchanges)

    assert asked.traces == should.traces
    assert by_object(done.as_simulated) == by_object(write for write in expected.writes if "MyResource" not in write)
