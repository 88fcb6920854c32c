"""The model behind the table of sizes: what grows, and the costs that it takes from a measurement."""

from dataclasses import replace
from typing import Any

import pytest

from bench.sizing import RULES, Costs, Setup, costs_of, deviations, estimate, read
from docs.sizing import SETUPS, accuracy, table

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


def run(size: int, shards: int) -> dict[str, Any]:
    """Return the figures of a run that costs exactly COSTS."""

    def load(seconds: float) -> dict[str, Any]:
        return {"metacontrollers": [seconds] * shards, "hook": size * COSTS.hook}

    def walk(parents: float, *, has_old: bool = True) -> float:
        return COSTS.walk(parents, RULES, has_old=has_old)

    creation = size / shards * COSTS.create + size * COSTS.create_any + size * COSTS.related * walk(size / 2)
    restart = size / shards * COSTS.restart + size * COSTS.restart_any + size * 2 * walk(size, has_old=False)
    return {
        "shards": shards,
        "size": size,
        "created": size * COSTS.seconds,
        "restarted": 1.0,
        "creation": load(creation),
        "restart": load(restart),
        "few": load(1000 * COSTS.event),
        "many": load(1000 * walk(size)),
        "memory": [COSTS.memory + size * COSTS.memory_each] * shards,
        "empty": [COSTS.memory] * shards,
        "related": size * COSTS.related,
    }


def test_the_model_finds_the_costs_of_a_measurement_that_it_describes() -> None:
    found = costs_of([run(400, 1), run(400, 2), run(400, 4)], 1000)

    assert vars(found) == pytest.approx(vars(COSTS))


def test_noise_makes_no_cost_negative() -> None:
    noisy = {**run(400, 1), "many": run(400, 1)["few"], "restart": run(400, 1)["few"], "memory": [1]}

    assert min(vars(costs_of([noisy, run(400, 4)], 1000)).values()) >= 0


def test_events_cost_four_times_as_much_if_there_are_twice_as_many_myresources() -> None:
    costs = replace(COSTS, event=0, create=0, create_any=0)
    one, two = (estimate(costs, replace(SETUP, size=size)).cpu for size in (10_000, 20_000))

    assert two == pytest.approx(4 * one)


def test_shards_divide_the_work_and_not_the_memory() -> None:
    one, four = (estimate(COSTS, replace(SETUP, shards=shards)) for shards in (1, 4))

    assert four.resync == pytest.approx(one.resync / 4)
    assert one.cpu / 4 < four.cpu < one.cpu
    assert four.memory == one.memory


def test_without_pods_there_are_fewer_events_and_rules() -> None:
    assert estimate(COSTS, replace(SETUP, has_pods=False)).cpu < estimate(COSTS, SETUP).cpu


@pytest.mark.parametrize(("shards", "replicas"), [(1, 2), (6, 2), (7, 3), (16, 6)])
def test_half_of_the_replicas_accept_the_requests_of_all_workers(shards: int, replicas: int) -> None:
    assert replace(SETUP, shards=shards).replicas == replicas


def test_the_limit_of_requests_decides_how_long_a_creation_takes_if_it_is_low() -> None:
    assert estimate(COSTS, replace(SETUP, qps=5)).create == pytest.approx(1_000 * 6 / 5)
    assert estimate(COSTS, SETUP).create == pytest.approx(1_000 * COSTS.seconds)


def test_retries_decide_how_long_a_restart_takes_if_all_else_is_fast() -> None:
    fast = replace(COSTS, restart=0, restart_any=0, event=0, check=0)

    assert estimate(fast, SETUP).restart == pytest.approx(1_000 / 10)
    assert estimate(fast, replace(SETUP, shards=4)).restart == pytest.approx(250 / 10)


def test_a_size_that_was_measured_has_its_figures_and_the_others_are_marked_as_a_model() -> None:
    rows = table(COSTS, [run(1_000, 1), run(10_000, 1)]).splitlines()[2:]

    assert [row.split("|")[-2].strip() for row in rows] == ["model", "measured", "model", "model"]
    assert "50 s" in rows[1]


def test_the_page_says_how_far_the_model_is_from_what_was_measured() -> None:
    exact, twice = run(400, 2), run(100, 1)
    twice["creation"]["metacontrollers"] = [2 * seconds for seconds in twice["creation"]["metacontrollers"]]

    assert [each.ratio for each in deviations(COSTS, [exact, twice])] == pytest.approx([1, 0.5])
    assert "For 100 to 400 MyResources in 1 to 2 shards, the model gives 0.5 to 1.0 times" in accuracy(
        COSTS, [exact, twice]
    )


def test_the_table_is_made_from_the_committed_figures() -> None:
    costs, measured = read()

    assert {setup.size for setup in SETUPS} == {100, 1_000, 10_000, 100_000}
    assert costs.check > 0
    assert measured
