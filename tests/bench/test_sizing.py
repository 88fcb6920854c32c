"""The model behind the table of sizes: what grows, and the costs that it takes from a measurement."""

from dataclasses import replace

import pytest

from bench.scale.report import sizes
from bench.scale.sizing import RULES, Costs, Run, Setup, costs_of, deviations, estimate, run_of
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
SETUP = Setup(1_000, 1, has_pods=True, qps=200, workers=10)


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


def test_events_cost_four_times_as_much_if_there_are_twice_as_many_myresources() -> None:
    costs = replace(COSTS, event=0, create=0, create_any=0)
    one, two = (estimate(costs, replace(SETUP, size=size)).cpu for size in (10_000, 20_000))

    assert two == pytest.approx(4 * one)


def test_shards_divide_the_work_and_not_the_memory() -> None:
    one, four = (estimate(COSTS, replace(SETUP, shards=shards)) for shards in (1, 4))

    assert four.resync == pytest.approx(one.resync / 4)
    assert one.cpu / 4 < four.cpu < one.cpu
    assert four.memory == one.memory


@pytest.mark.parametrize(("shards", "replicas"), [(1, 2), (6, 2), (7, 3), (16, 6)])
def test_half_of_the_replicas_accept_the_requests_of_all_workers(shards: int, replicas: int) -> None:
    assert replace(SETUP, shards=shards).replicas == replicas


def test_the_model_is_compared_with_what_was_measured() -> None:
    exact, twice = run(400, 2), run(100, 1)

    assert deviations(COSTS, [exact, replace(twice, create=2 * twice.create)]) == pytest.approx([1, 0.5])


def test_the_table_has_a_row_for_each_installation() -> None:
    rows = list(sizes(COSTS))[2:]

    assert [row.split(" | ")[0] for row in rows] == ["| 100", "| 1,000", "| 10,000", "| 100,000"]
    assert "| 50 s |" in rows[1]
