"""Plans: all the faults that can be put into a life, each at each place, as Sieve does with controllers.

A plan has one fault. Where it can be is read from the same life without any: as nothing in a world is left to chance,
both are the same until then.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from metahook import Controller
from metahook.simulator.history import Write
from metahook.simulator.hook import Hook, Reply, Unreachable
from metahook.simulator.metacontroller.cache import REMEMBERED
from metahook.simulator.metacontroller.claims import NAME
from metahook.simulator.metacontroller.response import Crash
from metahook.simulator.metacontroller.settings import Mode
from tests.plans.workload_run import Life, Outcome
from tests.plans.workloads import Workload
from tests.worlds import CHILDREN, PARENT

WATCHED = (PARENT.kind, *(kind.kind for kind in CHILDREN), "ConfigMap", "MyBackup")
"""Kinds of which a change may lead to a sync."""

RENEWAL = 1
"""Seconds until a watch that lost an event is made anew."""

NEAR = 5.0
"""Seconds between two events that count as neighbours."""

MOMENT = 0.0005
"""Seconds; less than anything takes."""

LAG = 0.1
"""Seconds until a stale cache has caught up, and there is a sync for that."""

ANSWERS = ("500", "429", "timeout")


class Plan(NamedTuple):
    """A fault, and its place: the number of a write, an event, a sync or a call. Written as ``stale-12-Service-2``."""

    fault: str
    place: int
    what: str = ""
    depth: int = 0

    def __str__(self) -> str:
        return "-".join([self.fault, str(self.place), *filter(None, [self.what, str(self.depth or "")])])


class Trace(NamedTuple):
    """What happened in a life without faults, and when; faults are put into what happened in the ``span``."""

    span: tuple[float, float]
    writes: list[float]
    events: list[tuple[float, str]]
    syncs: list[float]
    calls: list[float]


class Reference(NamedTuple):
    """A life without faults."""

    trace: Trace
    outcome: Outcome


def reference(mode: Mode, hook: Hook | Controller, workload: Workload) -> Reference:
    """Lead the life of *workload* without a fault."""
    life = Life(mode, hook)
    outcome = life.lead(workload)
    history = life.world.history
    writes = [write for write in history.writes() if write.changed]
    return Reference(
        Trace(
            life.span,
            [write.at for write in writes if write.actor == NAME],
            [(write.at, write.key.kind) for write in writes if write.key.kind in WATCHED],
            list(dict.fromkeys(call.at for call in history.calls())),
            [call.at for call in history.calls("sync", "customize")],
        ),
        outcome,
    )


def tried(plan: Plan, mode: Mode, hook: Hook | Controller, workload: Workload, seen: Trace) -> Outcome:
    """Lead the life of *workload* with the fault of *plan*; *seen* is the trace without it."""
    life = Life(mode, hook)
    FAULTS[plan.fault](life, plan, seen)
    return life.lead(workload)


def plans(seen: Trace) -> Iterator[Plan]:
    """Yield all plans for a life whose trace was *seen*."""
    times = [at for at, _ in seen.events]
    yield from (Plan("crash", place) for place in _places(seen.writes, seen))
    yield from (Plan(fault, place) for fault in ("unobserved", "duplicate") for place in _places(times, seen))
    yield from (Plan("late", place) for place in _places(times[:-1], seen) if _neighbours(*seen.events[place:][:2]))
    yield from (Plan("answer", place, what) for place in _places(seen.calls, seen) for what in ANSWERS)
    for place in _places(seen.syncs, seen):
        for kind in WATCHED:
            changes = sum(1 for at, changed in seen.events if changed == kind and at < seen.syncs[place])
            yield from (Plan("stale", place, kind, depth) for depth in range(1, min(changes, REMEMBERED) + 1))


def _places(times: list[float], seen: Trace) -> Iterator[int]:
    return (place for place, at in enumerate(times) if seen.span[0] <= at < seen.span[1])


def _neighbours(one: tuple[float, str], other: tuple[float, str]) -> bool:
    return one[1] != other[1] and other[0] - one[0] < NEAR


def _crash(life: Life, plan: Plan, _: Trace) -> None:
    """Metacontroller ends right after a write."""
    countdown, killed = itertools.count(plan.place, -1), "the process was killed"

    def told(write: Write) -> None:
        """Watch as the last one, so that everybody else knows of the write."""
        if write.actor == NAME and next(countdown) == 0:
            raise Crash(killed)

    life.world.api.watch(told)


def _at_event(life: Life, place: int, delays: Callable[[Write], list[float]]) -> None:
    """Let the event at *place* be told of after *delays*."""
    cache, left = life.world.metacontroller.cache, iter(range(place))

    def delayed(write: Write) -> list[float]:
        if write.key.kind in WATCHED and next(left, None) is None:
            cache.delays = usual
            return delays(write)
        return [cache.late]

    usual = cache.delays
    cache.delays = delayed


def _unobserved(life: Life, plan: Plan, _: Trace) -> None:
    """An event is lost; how it all ended is seen when the watch is made anew."""
    world = life.world

    def never(write: Write) -> list[float]:
        world.clock.after(RENEWAL, lambda: world.metacontroller.cache.rewatch(write.key.kind))
        return []

    _at_event(life, plan.place, never)


def _duplicate(life: Life, plan: Plan, _: Trace) -> None:
    """An event is told of twice, and there is a sync each time."""
    world, late = life.world, life.world.metacontroller.cache.late

    def twice(_: Write) -> list[float]:
        world.clock.after(late + 2 * MOMENT, life.sync)
        return [late, late + 2 * MOMENT]

    _at_event(life, plan.place, twice)


def _late(life: Life, plan: Plan, seen: Trace) -> None:
    """An event is told of after the next one, which is of another kind."""
    (at, _), (then, _) = seen.events[plan.place : plan.place + 2]
    _at_event(life, plan.place, lambda _: [then - at + life.world.metacontroller.cache.late + MOMENT])


def _answer(life: Life, plan: Plan, _: Trace) -> None:
    """A call of the hook fails; when nobody answers in time the hook did its work all the same."""
    reached, left = life.world.metacontroller.hook, iter(range(plan.place))

    def call(hook: str, body: bytes) -> Reply:
        if next(left, None) is not None:
            return reached(hook, body)
        life.world.metacontroller.hook = reached
        if plan.what == "timeout":
            reached(hook, body)
            raise Unreachable
        return Reply(int(plan.what), b"", retry_after=1)

    life.world.metacontroller.hook = call


def _stale(life: Life, plan: Plan, seen: Trace) -> None:
    """A sync sees one kind as it was some changes ago; the next one sees it as it is."""
    clock, cache, moment = life.world.clock, life.world.metacontroller.cache, seen.syncs[plan.place]

    def begin() -> None:
        cache.behind = {plan.what: plan.depth}
        clock.after(2 * MOMENT, cache.behind.clear)
        clock.after(LAG, life.sync)

    clock.at(moment - MOMENT, begin, idle=True)


FAULTS: dict[str, Callable[[Life, Plan, Trace], None]] = {
    "crash": _crash,
    "unobserved": _unobserved,
    "duplicate": _duplicate,
    "late": _late,
    "answer": _answer,
    "stale": _stale,
}
