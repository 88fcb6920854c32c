"""Runs of parents in a simulated cluster: they are created, annotated and deleted, with a fault or none.

Faults are changes that arrive late, twice or never, lost responses, failing containers, and crashes. A fault changes
one part of a world: when its cache sees a write, its hook, its kubelet, or a watcher that raises Crash.
``api.admission`` can refuse an object, but neither a status nor a deletion.
"""

import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, NamedTuple

from msgspec import Struct, field

from metahook.cli.checking.calls import CheckedHook
from metahook.cli.simulation.run import delay, lose
from metahook.simulator.apiserver.server_side_apply import SCALER
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.controllers.deployments import KUBECTL_APPLIED
from metahook.simulator.controllers.kubelet import Failure
from metahook.simulator.findings import findings
from metahook.simulator.findings.evidence import Evidence
from metahook.simulator.history import Call, Entry, History, Write
from metahook.simulator.metacontroller.children import NAME
from metahook.simulator.metacontroller.response import Crash
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Json, Key, key_of
from metahook.simulator.world import HOUR, NeverQuiet, NoSuchObject, World

REST = 600.0
"""Simulated seconds after which a run goes on, even if the cluster is not quiet."""

OBSERVATION = 1800.0
"""Simulated seconds of a quiet cluster, as long as Metacontroller's longest period of resyncs."""

FURTHER = 4
"""Syncs of a quiet cluster, which must write nothing."""

MANY_CALLS = 60
"""Calls for one parent after which a run looks for a loop, and again after twice as many."""

_GROWTH = ("GrowingChildren",)
_LOOPS = (*_GROWTH, "RepeatedWrites", "CallStorm")

BRIEF = 5.0
"""Simulated seconds of a brief run."""

Fault = Callable[[World], object]


class Run(Struct):
    """What happened in a run up to now: the *world*, and the *keys* of its parents."""

    world: World
    keys: list[Key] = field(default_factory=list)
    is_quiet: bool = True
    has_failures: bool = False
    """Whether calls of the hook failed."""
    quiet_at: float = 0.0
    """When it became quiet for the first time, in simulated seconds."""
    loop: str = ""
    """Why the cluster never became quiet."""
    refused: str = ""
    """Why the API server refuses a parent."""

    def children(self) -> dict[Key, Json]:
        """Return the children in the last response to each parent."""
        last = {sync.key: sync.children for sync in Evidence(self.world.history).syncs if not sync.finalizing}
        return {key: child for children in last.values() for key, child in children.items()}

    def remaining(self) -> list[Key]:
        return [key for key in self.keys if self.world.api.get(key) is not None]


class Runs(Struct, frozen=True):
    """Calls a *hook* in simulated clusters; *others* are the objects that exist beside the parents."""

    hook: CheckedHook
    settings: Settings
    others: tuple[Json, ...]

    def new(self, fault: Fault | None = None, *, controllers: bool = True) -> Run:
        world = World(self.hook, self.settings, controllers=controllers)
        # With late changes, several writes may follow that are none of a loop.
        world.history.listeners.append(_loop_watcher(world.history, _GROWTH if fault else _LOOPS))
        run = Run(world)
        if fault:
            fault(world)
        return run

    def begin(self, run: Run, parents: Iterable[Json], within: float | None = None) -> Run:
        """Create *parents* in *run*, and observe them, or only let them become quiet *within* seconds; return it."""
        world = run.world

        def create() -> None:
            for item in (*self.others, *parents):
                placed = world.api.placed(copy.deepcopy(item))
                world.apply(placed)
                run.keys += [key_of(placed)] if item not in self.others else []
            run.is_quiet = world.until_quiet(within or HOUR)
            run.quiet_at = world.clock.now
            world.run(0 if within else OBSERVATION)

        self._go(run, create)
        return run

    def change(self, run: Run) -> None:
        """Go on with *run*: sync it again, and annotate its parents."""

        def change() -> None:
            for _ in range(FURTHER):
                for key in run.keys:
                    run.world.metacontroller.enqueue(key)
                run.world.run(1)
            for key in run.keys:
                run.world.edit(key, _annotate)
            run.world.until_quiet(REST)

        self._go(run, change)

    def unscaled(self, run: Run) -> list[str]:
        """Let the autoscalers among the children of *run* scale to the most; return a sentence for each that can't."""
        found: list[str] = []

        def scale(key: Key, spec: Json) -> None:
            target = Key(spec["scaleTargetRef"]["kind"], key.namespace, spec["scaleTargetRef"]["name"])
            child, most, world = run.children().get(target), spec["maxReplicas"], run.world
            if child and world.api.get(target) and world.get(target)["spec"].get("replicas") not in (0, most):
                world.api.patch(target, lambda item: {**item, "spec": {**item["spec"], "replicas": most}}, SCALER)
                world.run(1)
                if world.get(target)["spec"]["replicas"] == child["spec"].get("replicas"):
                    message = f"{target}: each sync sets spec.replicas again, which {key} scales"
                    found.append(f"{message}; leave it out once that exists, or return what is observed")

        for key, child in run.children().items():
            if key.kind == "HorizontalPodAutoscaler" and run.world.api.get(key):
                self._go(run, partial(scale, key, child["spec"]))
        return found

    def edit(self, run: Run, parent: Json, within: float = BRIEF) -> None:
        """Give *parent*, which is in *run*, the spec that it has here, as ``kubectl apply`` does."""

        def edit() -> None:
            run.world.apply(run.world.api.placed(copy.deepcopy(parent)))
            run.is_quiet = run.world.until_quiet(within)

        self._go(run, edit)

    def end(self, run: Run) -> None:
        def delete() -> None:
            for key in run.keys:
                run.world.delete(key)
            run.world.run(REST)

        self._go(run, delete)

    def _go(self, run: Run, steps: Callable[[], object]) -> None:
        """Run *steps* of *run*, unless it has ended early."""
        self.hook.follow(run.world.clock)
        try:
            if not run.loop and not run.refused:
                steps()
        except NeverQuiet as error:
            run.is_quiet, run.loop = False, str(error)
        except (ApiError, NoSuchObject) as error:
            run.refused = str(error)


def _loop_watcher(history: History, rules: Iterable[str]) -> Callable[[Entry], None]:
    """Return a listener of *history* that raises NeverQuiet once a hook is called in a loop, by one of *rules*."""
    calls: Counter[Key] = Counter()
    due = [MANY_CALLS]

    def on_entry(entry: Entry) -> None:
        if isinstance(entry, Call):
            calls[entry.key] += 1
            if calls[entry.key] == due[0]:
                due[0] *= 2
                recent = History(history.entries[-MANY_CALLS:])
                if found := findings(recent, rules):
                    raise NeverQuiet(str(found[0]))

    return on_entry


def _annotate(parent: Json) -> None:
    metadata = parent["metadata"]
    new = {"example.com/note": "checked", KUBECTL_APPLIED: "{}\n"}
    metadata["annotations"] = {**(metadata.get("annotations") or {}), **new}


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
