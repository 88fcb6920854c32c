"""Faults in a run: changes that arrive late, twice or never, lost responses, failing containers, and crashes.

A fault changes one part of a world: when its cache sees a write, its hook, its kubelet, or a watcher that raises Crash.
``api.admission`` can refuse an object, but neither a status nor a deletion.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from metahook.cli.checking.runs import Fault
from metahook.cli.simulation.faults import delay, lose
from metahook.simulator.controllers.kubelet import Failure
from metahook.simulator.history import History, Write
from metahook.simulator.metacontroller.children import NAME
from metahook.simulator.metacontroller.response import Crash
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.world import World

FAILURES = (Failure.CRASH, Failure.UNREADY, Failure.UNSCHEDULABLE, Failure.EVICTED)
"""Failures of containers, which a hook that has Pods sees."""

LOST = "25%"
"""Responses of the hook that are lost."""

POSITIONS = 4
"""Positions of each fault that has one."""


class NamedFault(NamedTuple):
    """A fault, and the *options* of ``metahook simulate`` for the same, if it has some. A *lasting* one never ends."""

    name: str
    fault: Fault
    options: tuple[str, ...] = ()
    is_lasting: bool = False


def faults_for(settings: Settings, history: History) -> Iterator[NamedFault]:
    """Yield the faults for a hook whose run without one has this *history*."""
    for kind in ("parent", *(kind.kind for kind in settings.children)):
        yield NamedFault(f"stale-{kind}", partial(delay, kinds=(kind,)), ("--stale", kind))
    yield NamedFault("lose", partial(lose, share=LOST), ("--lose", LOST))
    if any(write.key.kind == "Pod" for write in history.writes()):
        for failure in FAILURES:
            yield NamedFault(f"fail-{failure.value}", _failing(failure), ("--fail", failure.value), is_lasting=True)
    writes = [write for write in history.writes() if write.changed]
    own = [write for write in writes if write.actor == NAME]
    for name, fault, count in (
        ("crash", crash, len(own)),
        ("lost", lost, len(writes)),
        ("doubled", doubled, len(writes)),
    ):
        for position in range(0, count, max(1, count // POSITIONS)):
            yield NamedFault(f"{name}-{position}", fault(position))


def _failing(failure: Failure) -> Fault:
    return lambda world: world.kubelet.fail(failure)


def crash(position: int) -> Fault:
    """Let Metacontroller crash right after its write number *position*."""
    killed = "the process was killed"

    def fault(world: World) -> None:
        left = iter(range(position))

        def on_write(write: Write) -> None:
            # This watcher is the last one, so the others have got the write.
            if write.actor == NAME and write.changed and next(left, None) is None and not done:
                done.append(write)
                raise Crash(killed)

        done: list[Write] = []
        world.api.watch(on_write)

    return fault


def lost(position: int) -> Fault:
    """Lose the event of the write number *position*; a second later the watch restarts with the final state."""

    def fault(world: World) -> None:
        def lose(write: Write) -> list[float]:
            world.clock.after(1, lambda: world.metacontroller.cache.rewatch(write.key.kind))
            return []

        _at_event(world, position, lose)

    return fault


def doubled(position: int) -> Fault:
    """Deliver the event of the write number *position* twice."""

    def fault(world: World) -> None:
        late = world.metacontroller.cache.late
        _at_event(world, position, lambda _: [late, 2 * late])

    return fault


def _at_event(world: World, position: int, delays: Callable[[Write], list[float]]) -> None:
    cache, left = world.metacontroller.cache, iter(range(position))

    def delayed(write: Write) -> Any:  # noqa: ANN401 - as the cache has it
        if next(left, None) is None:
            cache.delays = usual
            return delays(write)
        return usual(write)

    usual = cache.delays
    cache.delays = delayed
