"""The measure of starts, on made-up results and on Python itself."""

import pytest

from bench.startup.imports import Import
from bench.startup.results import Results, goals, imports_table, table
from bench.startup.starts import Comparison, NotStarted, Start, start_serve

BASE = Start(wall=220, cpu=210, memory=43)


def results(*, wall: float = 400, memory: float = 56) -> Results:
    """Return results of which one figure may differ."""
    return Results(Comparison(Start(wall, 380, memory), BASE, 1.8), [Import("fastapi.routing", 8.2)])


def test_a_start_within_the_goals_is_within() -> None:
    assert results().is_within
    assert goals(results())[0] == "from exec to ready: 400 ms, within 500 ms"


@pytest.mark.parametrize("slow", [results(wall=501), results(memory=65)], ids=["time", "memory"])
def test_a_start_that_takes_too_much_is_found(slow: Results) -> None:
    assert not slow.is_within
    assert sum("NOT within" in goal for goal in goals(slow)) == 1


def test_the_tables_have_both_processes_and_the_imports() -> None:
    assert "| `serve`, until it is ready | 400 ms | 380 ms | 56 MiB |" in table(results())
    assert "| `fastapi.routing` | 8 ms |" in imports_table(results())


def test_a_process_that_does_not_start_is_an_error() -> None:
    with pytest.raises(NotStarted):
        start_serve("-X", "no-such-option", "-c", "raise SystemExit(1)")
