"""Runs a scenario step by step, on the control plane and in the simulator, and traces both."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest

from tests.e2e.namespace import Namespace
from tests.e2e.scenarios import Simulated, Step
from tests.e2e.trace import Exchange, by_object, recorded, simulated, traces
from tests.simulated.worlds import Since

QUIET = 1.0
"""Seconds without a change that end a step; long, because nothing else marks its end."""


@dataclass(frozen=True)
class Trace:
    """The trace of the requests of each step, and the writes."""

    steps: list[dict[str, list[str]]]
    writes: dict[str, list[str]]


class _Steps:
    def __init__(self) -> None:
        self.traces: list[dict[str, list[str]]] = []
        self._count = 0

    def end(self, exchanges: list[Exchange]) -> None:
        """End a step, given all *exchanges* since the beginning."""
        trace = traces(exchanges[self._count :])
        before = self.traces[-1] if self.traces else {}
        self.traces.append(
            {name: without_retry(name, entries, before.get(name, [])) for name, entries in trace.items()}
        )
        self.skip(exchanges)

    def skip(self, exchanges: list[Exchange]) -> None:
        """Ignore the exchanges of this step."""
        self._count = len(exchanges)


def without_retry(name: str, entries: list[str], before: list[str]) -> list[str]:
    """Return *entries* less the first one if it repeats the end of the step *before* and others follow.

    Metacontroller retries a failed write at longer and longer intervals. A retry at the beginning of a step may come
    before the event of that step.
    """
    is_retry = name in {"Deployment", "Service"} and len(entries) > 1 and entries[:1] == before[-1:]
    return entries[1:] if is_retry else entries


def run_side_by_side(steps: Iterable[Step], here: Namespace, played: Simulated) -> tuple[Trace, Trace]:
    """Run the same steps in the namespace *here* and in the simulator; return both traces."""
    expected, done = Since(played.world), here.since()
    asked, should = _Steps(), _Steps()
    for step in steps:
        step(played)
        played.wait_until_quiet()
        step_writes = here.since()
        step(here)
        here.wait_until_quiet(QUIET)
        is_there = here.find("MyResource") is not None
        if not is_there and (late := step_writes.as_simulated):
            # Its cache had the MyResource for a moment longer, so the new owner reference is to an object that
            # does not exist, and the garbage collector deletes the child, as docs/clusters/operate.md describes.
            assert {write.split()[0] for write in late} == {"apply"}
            pytest.skip("Metacontroller applied a child once more after the MyResource was deleted")
        for side, exchanges in (
            (should, simulated(played.world.history.calls("sync", "customize"))),
            (asked, recorded(here.exchanges())),
        ):
            if is_there:
                side.end(exchanges)
            else:  # after the deletion a further sync depends on timing
                side.skip(exchanges)
    return Trace(asked.traces, by_object(done.as_simulated)), Trace(should.traces, by_object(_audited(expected.writes)))


def _audited(writes: Iterable[str]) -> Iterator[str]:
    """Yield the simulated *writes* to children; the audit log has the verb patch for an apply, too."""
    return (write.replace("patch ", "apply ", 1) for write in writes if "MyResource" not in write)
