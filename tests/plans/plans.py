"""Fault plans: every fault at every position of a workload run, as Sieve does with controllers.

A plan has one fault. Its positions come from the trace of the same run without a fault: a world is deterministic, so
both runs are the same up to the fault.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from metahook import Controller
from metahook.simulator.history import Write
from metahook.simulator.hook import Hook, Reply, Unreachable
from metahook.simulator.metacontroller.cache import REMEMBERED
from metahook.simulator.metacontroller.children import NAME
from metahook.simulator.metacontroller.response import Crash
from metahook.simulator.metacontroller.settings import Mode
from tests.plans.workload_run import Outcome, WorkloadRun
from tests.plans.workloads import Workload
from tests.simulated.worlds import CHILDREN, PARENT

WATCHED = (PARENT.kind, *(kind.kind for kind in CHILDREN), "ConfigMap", "MyBackup")
"""Kinds whose changes may cause a sync."""

RENEWAL = 1
"""Seconds until a watch that lost an event restarts."""

NEAR = 5.0
"""Seconds; events that are closer count as neighbours."""

MOMENT = 0.0005
"""Seconds; shorter than any delay in the simulator."""

LAG = 0.1
"""Seconds until a stale cache has caught up, which syncs the parents."""

ANSWERS = ("500", "429", "timeout")


class Plan(NamedTuple):
    """A fault and its position, the number of a write, event, sync or call. Written as ``stale-12-Service-2``."""

    fault: str
    position: int
    what: str = ""
    depth: int = 0

    def __str__(self) -> str:
        return "-".join([self.fault, str(self.position), *filter(None, [self.what, str(self.depth or "")])])


class Trace(NamedTuple):
    """What happened in a run without a fault, and when; plans put their faults into the ``span``."""

    span: tuple[float, float]
    writes: list[float]
    events: list[tuple[float, str]]
    syncs: list[float]
    calls: list[float]


class Reference(NamedTuple):
    """A run without a fault."""

    trace: Trace
    outcome: Outcome


def reference(mode: Mode, hook: Hook | Controller, workload: Workload) -> Reference:
    """Run *workload* without a fault."""
    run = WorkloadRun(mode, hook)
    outcome = run.execute(workload)
    history = run.world.history
    writes = [write for write in history.writes() if write.changed]
    return Reference(
        Trace(
            run.span,
            [write.at for write in writes if write.actor == NAME],
            [(write.at, write.key.kind) for write in writes if write.key.kind in WATCHED],
            list(dict.fromkeys(call.at for call in history.calls())),
            [call.at for call in history.calls("sync", "customize")],
        ),
        outcome,
    )


def run_plan(plan: Plan, mode: Mode, hook: Hook | Controller, workload: Workload, trace: Trace) -> Outcome:
    """Run *workload* with the fault of *plan*; *trace* is that of the run without it."""
    run = WorkloadRun(mode, hook)
    FAULTS[plan.fault](run, plan, trace)
    return run.execute(workload)


def plans(trace: Trace) -> Iterator[Plan]:
    """Yield all plans for the run with this *trace*."""
    times = [at for at, _ in trace.events]
    yield from (Plan("crash", position) for position in _positions(trace.writes, trace))
    yield from (Plan(fault, position) for fault in ("unobserved", "duplicate") for position in _positions(times, trace))
    yield from (
        Plan("late", position)
        for position in _positions(times[:-1], trace)
        if _neighbours(*trace.events[position:][:2])
    )
    yield from (Plan("answer", position, what) for position in _positions(trace.calls, trace) for what in ANSWERS)
    for position in _positions(trace.syncs, trace):
        for kind in WATCHED:
            changes = sum(1 for at, changed in trace.events if changed == kind and at < trace.syncs[position])
            yield from (Plan("stale", position, kind, depth) for depth in range(1, min(changes, REMEMBERED) + 1))


def _positions(times: list[float], trace: Trace) -> Iterator[int]:
    return (position for position, at in enumerate(times) if trace.span[0] <= at < trace.span[1])


def _neighbours(one: tuple[float, str], other: tuple[float, str]) -> bool:
    return one[1] != other[1] and other[0] - one[0] < NEAR


def _crash(run: WorkloadRun, plan: Plan, _: Trace) -> None:
    """Metacontroller crashes right after a write."""
    countdown, killed = itertools.count(plan.position, -1), "the process was killed"

    def on_write(write: Write) -> None:
        # This watcher is the last one, so the others have got the write.
        if write.actor == NAME and next(countdown) == 0:
            raise Crash(killed)

    run.world.api.watch(on_write)


def _at_event(run: WorkloadRun, position: int, delays: Callable[[Write], list[float]]) -> None:
    """Deliver the event at *position* after *delays*."""
    cache, left = run.world.metacontroller.cache, iter(range(position))

    def delayed(write: Write) -> list[float]:
        if write.key.kind in WATCHED and next(left, None) is None:
            cache.delays = usual
            return delays(write)
        return [cache.late]

    usual = cache.delays
    cache.delays = delayed


def _unobserved(run: WorkloadRun, plan: Plan, _: Trace) -> None:
    """An event is lost; the restarted watch delivers only the final state."""
    world = run.world

    def lose(write: Write) -> list[float]:
        world.clock.after(RENEWAL, lambda: world.metacontroller.cache.rewatch(write.key.kind))
        return []

    _at_event(run, plan.position, lose)


def _duplicate(run: WorkloadRun, plan: Plan, _: Trace) -> None:
    """An event arrives twice, with a sync each time."""
    world, late = run.world, run.world.metacontroller.cache.late

    def twice(_: Write) -> list[float]:
        world.clock.after(late + 2 * MOMENT, run.sync)
        return [late, late + 2 * MOMENT]

    _at_event(run, plan.position, twice)


def _late(run: WorkloadRun, plan: Plan, trace: Trace) -> None:
    """An event arrives after the next one, which is of another kind."""
    (at, _), (then, _) = trace.events[plan.position : plan.position + 2]
    _at_event(run, plan.position, lambda _: [then - at + run.world.metacontroller.cache.late + MOMENT])


def _answer(run: WorkloadRun, plan: Plan, _: Trace) -> None:
    """A call of the hook fails; on a timeout the hook was called all the same."""
    reached, left = run.world.metacontroller.hook, iter(range(plan.position))

    def call(hook: str, body: bytes) -> Reply:
        if next(left, None) is not None:
            return reached(hook, body)
        run.world.metacontroller.hook = reached
        if plan.what == "timeout":
            reached(hook, body)
            raise Unreachable
        return Reply(int(plan.what), b"", retry_after=1)

    run.world.metacontroller.hook = call


def _stale(run: WorkloadRun, plan: Plan, trace: Trace) -> None:
    """A sync observes one kind as it was some changes ago; the next one observes it as it is."""
    clock, cache, moment = run.world.clock, run.world.metacontroller.cache, trace.syncs[plan.position]

    def begin() -> None:
        cache.behind = {plan.what: plan.depth}
        clock.after(2 * MOMENT, cache.behind.clear)
        clock.after(LAG, run.sync)

    clock.at(moment - MOMENT, begin, idle=True)


FAULTS: dict[str, Callable[[WorkloadRun, Plan, Trace], None]] = {
    "crash": _crash,
    "unobserved": _unobserved,
    "duplicate": _duplicate,
    "late": _late,
    "answer": _answer,
    "stale": _stale,
}
