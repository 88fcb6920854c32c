"""The model behind the table of sizes: what grows, and the costs that it takes from a measurement."""

import pytest

from bench.scale.report import sizes
from bench.scale.sizing import RULES, Costs, Run, costs_of, run_of
from tests.bench.measured import measured

COSTS = Costs(
    event=1e-4,
    check=1e-6,
    create=5e-3,
    create_any=1e-3,
    restart=2e-3,
    restart_any=5e-4,
    hook=3e-3,
    seconds=0.05,
    related=6,
    memory=40,
    memory_each=0.05,
)


def run(size: int, shards: int) -> Run:
    """Return a run that costs exactly COSTS."""

    def walk(parents: float, *, has_old: bool = True) -> float:
        return COSTS.walk(parents, RULES, has_old=has_old)

    own = size / shards
    return Run(
        size=size,
        shards=shards,
        events=1000,
        few=1000 * COSTS.event,
        create=own * COSTS.create + size * COSTS.create_any + size * COSTS.related * walk(size / 2),
        many=1000 * walk(size),
        restart=own * COSTS.restart + size * COSTS.restart_any + size * 2 * walk(size, has_old=False),
        seconds=size * COSTS.seconds,
        hook=size * COSTS.hook,
        related=round(size * COSTS.related),
        empty=COSTS.memory,
        memory=COSTS.memory + size * COSTS.memory_each,
    )


def test_a_run_has_the_mean_of_its_metacontrollers() -> None:
    two = {"metacontroller-0": 3.0, "metacontroller-1": 5.0, "hook": 7.0}
    few, created, many, restarted = (
        measured(cpu=two, memory={"metacontroller-0": mib}, related=mib) for mib in (40, 50, 60, 70)
    )

    found = run_of(100, 2, 1000, [few, created, many, restarted])

    assert (found.few, found.create, found.many, found.restart) == (4, 4, 4, 4)
    assert (found.hook, found.seconds, found.related, found.empty, found.memory) == (7, 15, 50, 40, 70)


def test_the_model_finds_the_costs_of_a_measurement_that_it_describes() -> None:
    found = costs_of([run(400, 1), run(400, 2), run(400, 4)])

    assert vars(found) == pytest.approx(vars(COSTS))


def test_the_table_has_a_row_for_each_installation() -> None:
    rows = list(sizes(COSTS))[2:]

    assert [row.split(" | ")[0] for row in rows] == ["| 100", "| 1,000", "| 10,000", "| 100,000"]
    assert "| 50 s |" in rows[1]
