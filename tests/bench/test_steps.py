"""The steps of a sync are counted as they are: calls of functions of ours, their files, and the moves between these."""

from app.core.timers import format_time, parse_time
from bench.comparison.steps import Steps, steps_of, syncs
from metahook.protocol.objects.printable import counted
from tests.requests.builders import NOW


def test_calls_files_and_moves_are_counted() -> None:
    def sync() -> None:
        parse_time(None)
        format_time(NOW)
        counted(1, "step")
        len("a function of Python's own")
        format_time(NOW)

    assert steps_of(sync) == Steps(calls=4, files=2, moves=2)


def test_all_recorded_syncs_are_counted_and_some_are_at_rest() -> None:
    every, at_rest, bodies = syncs()

    assert len(every) == len(bodies) > 50
    assert len(at_rest) == 2
