"""The tables of ``make scale``, in Markdown, and what other numbers of MyResources cost, by a model that rests on it.

docs/contributing/performance.md and docs/clusters/scale.md show the tables as they were printed. In the model, a
related event costs each Metacontroller a check of the rules of all MyResources, so its costs grow with events times
MyResources. All else grows with the number of MyResources: that of a shard for syncs, and that of all shards for what a
Metacontroller reads and keeps in memory.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import starmap

from bench.scale.comparison import Compared
from bench.scale.measurement import Measurement
from metahook.server import Limits

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


@dataclass(frozen=True)
class Run:
    """What *size* MyResources in *shards* cost, with the same number of related *events* before and after the creation.

    *few*, *many*: these events. *related*, *seconds*, *hook*: related events of the creation, how long it took, and CPU
    seconds of the hook. *few*, *many*, *create*, *restart* are CPU seconds of a Metacontroller, *empty* and *memory*
    its MiB before and at the end.
    """

    size: int
    shards: int
    events: int
    few: float
    create: float
    many: float
    restart: float
    seconds: float
    hook: float
    related: int
    empty: float
    memory: float


def run_of(size: int, shards: int, events: int, measured: Sequence[Measurement]) -> Run:
    """Return the run that *measured* of :func:`bench.scale.events.of_shards` are."""
    few, creation, many, restart = measured
    return Run(
        size=size,
        shards=shards,
        events=events,
        few=few.metacontrollers / shards,
        create=creation.metacontrollers / shards,
        many=many.metacontrollers / shards,
        restart=restart.metacontrollers / shards,
        seconds=creation.seconds,
        hook=creation.cpu["hook"],
        related=creation.related,
        empty=few.memory["metacontroller-0"],
        memory=restart.memory["metacontroller-0"],
    )


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


SETUPS = (
    Setup(100, 1, has_pods=True, qps=500, workers=5),
    Setup(1_000, 1, has_pods=True, qps=500, workers=5),
    Setup(10_000, 4, has_pods=False, qps=250, workers=5),
    Setup(100_000, 16, has_pods=False, qps=100, workers=5),
)
"""The installations of docs/clusters/scale.md; the first two have the flags of the measurement."""


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
    related = costs.related if setup.has_pods else 1
    creation = size * related * costs.walk(size / 2, rules, has_old=True)  # half: their number grows from none to all
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


def deviations(costs: Costs, runs: Sequence[Run]) -> list[float]:
    """Return the CPU of a Metacontroller to create all, by the model, as a ratio to that of each of *runs*."""
    setups = [Setup(run.size, run.shards, has_pods=True, qps=500, workers=5) for run in runs]
    return [estimate(costs, setup).cpu / run.create for setup, run in zip(setups, runs, strict=True)]


def costs_of(runs: Sequence[Run]) -> Costs:
    """Return the costs that *runs* of the same size show: those with one shard, and with the most."""
    one, most = min(runs, key=lambda run: run.shards), max(runs, key=lambda run: run.shards)
    size, related = one.size, one.related / one.size
    event = one.few / one.events
    check = max(one.many / one.events - event, 0) / size / RULES
    grown = max(one.memory - one.empty, 0) / size
    known = Costs(event, check, 0, 0, 0, 0, one.hook / size, one.seconds / size, related, one.empty, grown)

    def split(alone: float, shared: float, walks: float) -> tuple[float, float]:
        """Return what a MyResource of the shard and of any shard costs, without the related events that it causes.

        All of them cost *alone* with one shard, and *shared* with the most.
        """
        few, many = (max(cpu / size - walks, 0) for cpu in (alone, shared))
        mine = min(max(few - many, 0) / (1 - 1 / most.shards), few)
        return mine, few - mine

    create, create_any = split(one.create, most.create, related * known.walk(size / 2, RULES, has_old=True))
    restart, restart_any = split(one.restart, most.restart, 2 * known.walk(size, RULES, has_old=False))
    return replace(known, create=create, create_any=create_any, restart=restart, restart_any=restart_any)


EVENTS = (
    "event",
    "done after",
    "quiet after",
    "CPU s of Metacontroller",
    "of the hook",
    "of the API server",
    "syncs",
    "customize calls",
    "status writes",
    "child writes",
    "API requests",
    "longest queue",
)
SHARDS = (
    "shards",
    "created after",
    "CPU s of each Metacontroller: create",
    "restart",
    "1,000 related events",
    "memory of each",
)
SIZES = (
    "MyResources",
    "shards",
    "watch Pods",
    "qps, burst, workers",
    "`replicaCount`",
    "memory of each Metacontroller",
    "create all",
    "restart",
    "resync",
)

OPERATORS = (
    "operator",
    "event",
    "done after",
    "quiet after",
    "CPU s of the operator",
    "of the API server",
    "memory",
    "reads",
    "creates",
    "updates",
    "patches",
    "MyResource writes",
)


def compared(found: Compared) -> str:
    """Return the row of an event with an operator; counts are for each MyResource that it concerns."""
    measured = found.measured
    parts = [measured.cpu[name] for name in found.processes]
    cpu = _cpu(sum(parts)) + (f" ({' + '.join(map(_cpu, parts))})" if len(parts) > 1 else "")
    memory = sum(measured.memory[name] for name in found.processes)
    verbs = found.verbs
    counts = (verbs["get"] + verbs["list"], verbs["create"], verbs["update"], verbs["patch"], measured.status_writes)
    return _line(
        (
            found.operator,
            measured.event,
            ", ".join(starmap(_times, found.times.items())) or f"{measured.seconds:.1f} s",
            f"{measured.quiet_after:.0f} s",
            cpu,
            _cpu(measured.cpu["kube-apiserver"]),
            f"{memory} MiB",
            *(_each(count, measured.affected) for count in counts),
        )
    )


def _cpu(seconds: float) -> str:
    return f"{seconds:.2f}"


def _times(what: str, seconds: Sequence[float]) -> str:
    p50, p99 = (f"{1000 * percentile(seconds, percent):.0f} ms" for percent in (50, 99))
    return f"{p50} {what} (p99 {p99})"


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the smallest of *values* that so many percent of them do not exceed."""
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1]


def _each(count: int, affected: int) -> str:
    return f"{count / affected:.1f}" if count else "0"


def event(measured: Measurement, note: str = "") -> str:
    """Return the row of an event; counts are for each MyResource that it concerns."""
    counts = (measured.syncs, measured.customizes, measured.status_writes, measured.child_writes, measured.requests)
    return _line(
        (
            measured.event + note,
            f"{measured.seconds:.1f} s",
            f"{measured.quiet_after:.0f} s",
            f"{measured.metacontrollers:.1f}",
            f"{measured.cpu.get('hook', 0):.1f}",
            f"{measured.cpu.get('kube-apiserver', 0):.1f}",
            *(_each(count, measured.affected) for count in counts),
            str(measured.longest_queue),
        )
    )


def shards(run: Run) -> str:
    """Return the row of a number of shards."""
    cpu = (run.create, run.restart, run.many)
    cells = (str(run.shards), f"{run.seconds:.1f} s", *(f"{each:.1f}" for each in cpu), f"{run.memory:.0f} MiB")
    return _line(cells)


def sizes(costs: Costs) -> Iterator[str]:
    """Yield the table of what the installations of docs/clusters/scale.md cost by the model."""
    yield from head(SIZES)
    for setup in SETUPS:
        found = estimate(costs, setup)
        yield _line(
            (
                f"{setup.size:,}",
                str(setup.shards),
                "yes" if setup.has_pods else "no",
                f"{setup.qps}, {setup.qps * 2}, {setup.workers}",
                str(setup.replicas),
                f"about {_rounded(found.memory)}",
                *map(_time, (found.create, found.restart, found.resync)),
            )
        )


def head(names: Sequence[str]) -> Iterator[str]:
    """Yield the head of a table."""
    yield _line(names)
    yield _line(["---"] * len(names))


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _rounded(mib: float) -> str:
    """Return *mib* as text of two digits, in GiB from 10 GiB on."""
    return f"{mib / 1024:.0f} GiB" if mib >= 10 * 1024 else f"{float(f'{mib:.2g}'):,.0f} MiB"


def _time(seconds: float) -> str:
    """Return *seconds* as text of about two digits."""
    return next(f"{seconds / unit:{digits}} {name}" for most, unit, digits, name in _UNITS if seconds < most)


_UNITS = ((9.5, 1, ".1f", "s"), (120, 1, ".0f", "s"), (7200, 60, ".0f", "min"), (float("inf"), 3600, ".0f", "h"))
"""Each with the seconds below which it is used, its seconds, and its digits."""
