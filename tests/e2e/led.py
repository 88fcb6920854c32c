"""A life is led step by step, here and in the simulator, and both are traced."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tests.e2e.lives import Simulated, Stage
from tests.e2e.namespace import Namespace
from tests.e2e.trace import Exchange, by_object, recorded, simulated, traces
from tests.worlds import Since

QUIET = 1.0
"""Seconds: longer than elsewhere, as nothing else is waited for between two steps."""


@dataclass(frozen=True)
class Led:
    """What was asked in each step, and what was written."""

    steps: list[dict[str, list[str]]]
    writes: dict[str, list[str]]


class _Steps:
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


def led(steps: Iterable[Callable[[Any], None]], here: Namespace, stage: Stage, played: Simulated) -> tuple[Led, Led]:
    """Lead the same life on *stage*, which is in *here*, and in the simulator; return what came of both."""
    expected, done = Since(played.world), here.since()
    asked, should = _Steps(), _Steps()
    for step in steps:
        step(played)
        played.is_still()
        step(stage)
        here.is_still(QUIET)
        is_there = here.find("MyResource") is not None
        for side, exchanges in (
            (should, simulated(played.world.history.calls("sync", "customize"))),
            (asked, recorded(here.exchanges())),
        ):
            if is_there:
                side.end(exchanges)
            else:  # when it is gone, chance decides whether the hook is asked once more
                side.skip(exchanges)
    return Led(asked.traces, by_object(done.as_simulated)), Led(should.traces, by_object(_audited(expected.writes)))


def _audited(writes: Iterable[str]) -> Iterator[str]:
    """Yield those of the simulator's *writes* that change a child; the audit log calls an apply a patch as well."""
    return (write.replace("patch ", "apply ", 1) for write in writes if "MyResource" not in write)
