"""Runs a scenario in a world: the steps one by one, up to the first one that fails."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.controllers.pod_lifecycle import Failure
from metahook.simulator.metacontroller.claims import NAME
from metahook.simulator.objects import Json, Key, key_of
from metahook.simulator.scenarios.path import PathNotFound, look_up, set_value
from metahook.simulator.scenarios.scenario import Expect, FailureName, Scenario, Step, parse_duration, parse_object_name
from metahook.simulator.world import NeverQuiet, NoSuchObject, World


@dataclass(frozen=True)
class StepResult:
    """The result of a step; ``number`` counts from 1.

    ``problem`` says why the step failed: the error of an action, or the difference from an expectation.
    """

    number: int
    step: Step
    problem: str | None = None


def run_scenario(scenario: Scenario, world: World, announce: Callable[[Step], object] = bool) -> Iterator[StepResult]:
    """Run the steps of *scenario*, and yield the result of each; the first step that fails is the last one.

    *announce* is called with each step before it runs.
    """
    runner = _Runner(world)
    for number, step in enumerate(scenario.steps, start=1):
        announce(step)
        problem = runner.run(step)
        yield StepResult(number, step, problem)
        if problem is not None:
            return


class _Runner:
    def __init__(self, world: World) -> None:
        self._world = world
        self._parent: Key | None = None
        self._refused: set[str] = set()
        world.api.admission.append(self._admit)

    def run(self, step: Step) -> str | None:
        """Run *step*; return why it failed, or None."""
        try:
            return self._run(step)
        except ApiError as error:
            return f"error from server ({error.reason}): {error}"
        except (NoSuchObject, PathNotFound) as error:
            return f"{error} not found"
        except NeverQuiet as error:
            return str(error)

    def _run(self, step: Step) -> str | None:
        world = self._world
        if step.apply is not None:
            self._apply(step.apply)
        elif step.edit is not None:
            changes = step.edit.set
            world.edit(self._key(step.edit.object), lambda item: _put_all(item, changes))
        elif step.delete is not None:
            world.delete(self._key(step.delete.object), step.delete.policy)
        elif step.undo is not None:
            world.undo(self._key(step.undo.object), step.undo.revision)
        elif step.fail is not None:
            self._fail(step.fail)
        elif step.refuse is not None:
            self._refused = {step.refuse}
        elif step.restart is not None:
            world.metacontroller.restart()
        elif step.wait is not None:
            world.run(parse_duration(step.wait))
        elif step.expect is not None:
            return self._expect(step.expect)
        return None

    def _key(self, name: str) -> Key:
        """Return the key of the object called *name*; one of a cluster-scoped kind is in no namespace."""
        key = parse_object_name(name)
        return key if self._world.api.is_namespaced(key.kind) else key._replace(namespace="")

    def _apply(self, manifest: Json) -> None:
        if self._parent is None and manifest["kind"] == self._world.settings.parent.kind:
            self._parent = key_of(self._world.api.placed(manifest))
        self._world.apply(manifest)

    def _fail(self, failure: FailureName) -> None:
        world = self._world
        world.kubelet.fail(None if failure in ("fight", "none") else Failure(failure))
        (world.autoscaler.start if failure == "fight" else world.autoscaler.stop)()

    def _admit(self, item: Json, live: Json | None) -> Json:
        if live is None and item["kind"] in self._refused:
            raise ApiError("Forbidden", f"{item['kind']}s are forbidden: exceeded quota")
        return item

    def _expect(self, expect: Expect) -> str | None:
        within = parse_duration(expect.within)
        if expect.writes is not None:
            before = len(self._writes())
            self._world.run(within)
            writes = self._writes()[before:]
            return f"Metacontroller wrote {len(writes)} times: {writes[0]}" if len(writes) > expect.writes else None
        if expect.quiet:
            return None if self._world.until_quiet(within) else f"the cluster is not quiet after {expect.within}"
        self._world.until(lambda: self._problem(expect) is None, within)
        return self._problem(expect)

    def _writes(self) -> list[str]:
        return [str(write) for write in self._world.history.writes(NAME) if write.changed]

    def _problem(self, expect: Expect) -> str | None:
        """Return how the cluster differs from *expect* now, or None."""
        if expect.object is not None:
            item = self._world.api.get(self._key(expect.object))
            if (item is None) != expect.gone:
                return f"{expect.object} {'still exists' if item else 'does not exist'}"
            return next(filter(None, (_mismatch(item, path, value) for path, value in expect.has.items())), None)
        parent = self._key(expect.of) if expect.of else self._parent
        item = self._world.api.get(parent) if parent else None
        return _status_problem((item or {}).get("status") or {}, expect)


def _put_all(item: Json, changes: Json) -> None:
    for path, value in changes.items():
        set_value(item, path, value)


def _mismatch(item: Json | None, path: str, value: object) -> str | None:
    observed = look_up(item, path)
    return None if observed == value else f"{path} is {observed!r}, not {value!r}"


def _status_problem(status: Json, expect: Expect) -> str | None:
    """Return how *status* differs from *expect*, or None."""
    conditions: list[Json] = status.get("conditions") or []
    ready = next((item for item in conditions if item["type"] == "Ready"), {})
    if expect.state not in (None, status.get("state")):
        return f"state is {status.get('state')}, not {expect.state}"
    if expect.reason not in (None, ready.get("reason")):
        return f"the reason of Ready is {ready.get('reason')}, not {expect.reason}"
    if (expect.message or "") not in (ready.get("message") or ""):
        return f"the message of Ready is {ready.get('message')!r}, without {expect.message!r}"
    return None
