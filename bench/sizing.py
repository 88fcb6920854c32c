"""What N MyResources cost, for the table in docs/operate.md: measured sizes, and a model for the others.

``python -m bench.sizing`` reads build/shards.json, which ``make shards`` writes, and adds its figures to
bench/sizing.json; then ``make generate``. The model: a related event costs each Metacontroller a check of the rules of
all MyResources, so its costs grow with events times MyResources. All else grows with the number of MyResources: that of
a shard for syncs, and that of all shards for what a Metacontroller reads and keeps in memory.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from bench.shards.report import FILE as SHARDS
from metahook.server.limits import Limits

FILE = Path(__file__).with_suffix(".json")
RULES = 3
"""Rules of a measured MyResource: its Service, its Pods and its ConfigMap."""
REQUESTS = 6
"""Requests to the API server for a new MyResource: one for each of two children, and a read and a write for each of two
statuses."""
RESTART_REQUESTS = 3
"""After a restart: under server-side apply one for each of two children, and one to read the MyResource."""
RETRIES = 10
"""Syncs that Metacontroller repeats in a second, of those that began before it had read the related objects. Source:
client-go, util/workqueue, ``DefaultTypedControllerRateLimiter``."""
IN_FLIGHT = Limits().max_in_flight
"""Requests at a time that a replica of the hook accepts by default."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Costs:
    """CPU seconds of a Metacontroller, unless another unit is named.

    *event*: a related event, plus *check* for each rule of each MyResource of all shards.
    *create*, *restart*: a MyResource of the shard, plus *create_any* and *restart_any* for each of all shards, whose
    objects are read; without the events above. *hook*: CPU seconds of the hook for a new MyResource. *seconds*:
    time until a new one is Ready, if many are created, on the machine of the measurement. *related*: events of a new
    one. *memory*: MiB of a Metacontroller, and *memory_each* for each MyResource of all shards.
    """

    event: float
    check: float
    create: float
    create_any: float
    restart: float
    restart_any: float
    hook: float
    seconds: float
    related: float
    memory: float
    memory_each: float

    def walk(self, size: float, rules: int, *, has_old: bool) -> float:
        """Return the CPU seconds of one event if there are *size* MyResources; an update *has_old*: two objects."""
        return self.event + size * self.check * rules * (1.0 if has_old else 0.5)


@dataclass(frozen=True)
class Setup:
    """An installation: *size* MyResources in *shards*, whether Pods are watched, and the flags of a Metacontroller."""

    size: int
    shards: int
    has_pods: bool
    qps: int
    workers: int

    @property
    def rules(self) -> int:
        """Rules of a MyResource."""
        return RULES if self.has_pods else RULES - 1

    @property
    def replicas(self) -> int:
        """Replicas of the hook, of which half accept more requests at a time than all workers send; at least two."""
        return max(2, 2 * self.shards * self.workers // IN_FLIGHT + 1)


@dataclass(frozen=True)
class Estimate:
    """Seconds to *create* all, to *restart* and to *resync* all; *cpu* of a Metacontroller and of the *hook* to create
    all, in seconds; *memory* of a Metacontroller in MiB.
    """

    create: float
    restart: float
    resync: float
    cpu: float
    hook: float
    memory: float


def estimate(costs: Costs, setup: Setup) -> Estimate:
    """Return what *setup* costs by the model."""
    size, shards, rules = setup.size, setup.shards, setup.rules
    # Why half: the number of MyResources grows from none to all.
    creation = size * (costs.related if setup.has_pods else 1) * costs.walk(size / 2, rules, has_old=True)
    start = size * (2 if setup.has_pods else 1) * costs.walk(size, rules, has_old=False)
    own = size / shards
    return Estimate(
        create=max(size * costs.seconds, own * REQUESTS / setup.qps, creation),
        restart=max(
            own * RESTART_REQUESTS / setup.qps, own / RETRIES, own * costs.restart + size * costs.restart_any + start
        ),
        resync=own / setup.qps,
        cpu=own * costs.create + size * costs.create_any + creation,
        hook=size * costs.hook,
        memory=costs.memory + size * costs.memory_each,
    )


class Deviation(NamedTuple):
    """The CPU of a Metacontroller to create all, by the model, as a *ratio* to what was measured."""

    size: int
    shards: int
    ratio: float


def deviations(costs: Costs, runs: Sequence[Json]) -> list[Deviation]:
    """Return how far the model is from each of *runs*."""
    return [
        Deviation(setup.size, setup.shards, estimate(costs, setup).cpu / _mean(run["creation"]))
        for run in runs
        for setup in [Setup(run["size"], _shards(run), has_pods=True, qps=500, workers=5)]
    ]


def costs_of(runs: list[Json], events: int) -> Costs:
    """Return the costs that the *runs* of ``make shards`` show: those with one shard, and with the most."""
    one, most = min(runs, key=_shards), max(runs, key=_shards)
    size, shards = one["size"], _shards(most)
    event = _mean(one["few"]) / events
    check = max(_mean(one["many"]) / events - event, 0) / size / RULES
    related = one["related"] / size
    hook, seconds, each = one["creation"]["hook"] / size, one["created"] / size, _grown(one) / size
    known = Costs(event, check, 0, 0, 0, 0, hook, seconds, related, one["empty"][0], each)

    def split(part: str, events: float, parents: float, *, has_old: bool) -> tuple[float, float]:
        """Return the CPU of a MyResource of the shard and of any shard in *part* of a run, without its *events*."""
        few, many = (
            max(_mean(run[part]) / size - events * known.walk(parents, RULES, has_old=has_old), 0)
            for run in (one, most)
        )
        mine = min(max(few - many, 0) / (1 - 1 / shards), few)
        return mine, few - mine

    create, create_any = split("creation", related, size / 2, has_old=True)
    restart, restart_any = split("restart", 2, size, has_old=False)
    return replace(known, create=create, create_any=create_any, restart=restart, restart_any=restart_any)


def _grown(run: Json) -> float:
    """Return the memory in MiB by which a Metacontroller grew."""
    return max(float(run["memory"][0] - run["empty"][0]), 0.0)


def _shards(run: Json) -> int:
    found: int = run["shards"]
    return found


def _mean(load: Json) -> float:
    return sum(load["metacontrollers"]) / len(load["metacontrollers"])


def read() -> tuple[Costs, list[Json]]:
    """Return the costs that the committed runs with the most MyResources show, and all runs."""
    known = json.loads(FILE.read_text())
    runs: list[Json] = known["runs"]
    most = max(run["size"] for run in runs)
    return costs_of([run for run in runs if run["size"] == most], known["events"]), runs


def main() -> None:
    """Add the runs of build/shards.json, instead of those of the same size, and compare the model with all runs."""
    found = json.loads(SHARDS.read_text())
    sizes = {run["size"] for run in found["runs"]}
    kept = [run for run in json.loads(FILE.read_text())["runs"] if run["size"] not in sizes] if FILE.exists() else []
    runs = sorted([*kept, *found["runs"]], key=lambda run: (run["size"], _shards(run)))
    FILE.write_text(json.dumps({"events": found["events"], "runs": runs}, indent=1) + "\n")
    for each in deviations(*read()):
        print(f"{each.size} MyResources, {each.shards} shards: the model gives {each.ratio:.2f} x the measured CPU")
    print("Now run: make generate")


if __name__ == "__main__":
    main()
