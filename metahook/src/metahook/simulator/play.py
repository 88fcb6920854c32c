"""Plays a scenario in a world: does its steps one by one, and says where the world is not as expected."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from metahook.simulator.apiserver.rules import Refused
from metahook.simulator.controllers.fate import Fate
from metahook.simulator.metacontroller.claims import NAME
from metahook.simulator.objects import Json, Key, key_of
from metahook.simulator.path import NoSuchPlace, look_up, put
from metahook.simulator.scenario import Expect, Scenario, Step, key, seconds
from metahook.simulator.world import NoRest, NoSuchObject, World


@dataclass(frozen=True)
class Outcome:
    """A step that was done; ``problem`` says what is not as expected, if anything."""

    number: int
    step: Step
    problem: str | None = None


def play(scenario: Scenario, world: World, announce: Callable[[Step], object] = bool) -> Iterator[Outcome]:
    """Do the steps of *scenario*, and yield what came of each; the first problem is the last one.

    *announce* is told of each step before it is done.
    """
    player = _Player(world)
    for number, step in enumerate(scenario.steps, start=1):
        announce(step)
        problem = player.do(step)
        yield Outcome(number, step, problem)
        if problem is not None:
            return


class _Player:
    def __init__(self, world: World) -> None:
        self._world = world
        self._parent: Key | None = None
        self._refused: set[str] = set()
        world.api.admission.append(self._admit)

    def do(self, step: Step) -> str | None:
        """Do *step*; return what is not as expected."""
        try:
            return self._do(step)
        except Refused as refusal:
            return f"the API server refuses that: {refusal}"
        except (NoSuchObject, NoSuchPlace) as error:
            return f"there is no {error}"
        except NoRest as error:
            return str(error)

    def _do(self, step: Step) -> str | None:
        world = self._world
        if step.apply is not None:
            self._apply(step.apply)
        elif step.edit is not None:
            changes = step.edit.set
            world.edit(key(step.edit.object), lambda item: _put_all(item, changes))
        elif step.delete is not None:
            world.delete(key(step.delete.object), step.delete.policy)
        elif step.undo is not None:
            world.undo(key(step.undo.object), step.undo.revision)
        elif step.fail is not None:
            world.kubelet.fail(None if step.fail == "none" else Fate(step.fail))
        elif step.refuse is not None:
            self._refused = {step.refuse}
        elif step.restart is not None:
            world.metacontroller.restart()
        elif step.wait is not None:
            world.run(seconds(step.wait))
        elif step.expect is not None:
            return self._expect(step.expect)
        return None

    def _apply(self, manifest: Json) -> None:
        if self._parent is None and manifest["kind"] == self._world.settings.parent.kind:
            self._parent = key_of(manifest)
        self._world.apply(manifest)

    def _admit(self, item: Json, live: Json | None) -> Json:
        if live is None and item["kind"] in self._refused:
            raise Refused("Forbidden", f"{item['kind']}s are refused: exceeded quota")
        return item

    def _expect(self, expect: Expect) -> str | None:
        within = seconds(expect.within)
        if expect.writes is not None:
            before = len(self._writes())
            self._world.run(within)
            done = self._writes()[before:]
            return f"Metacontroller wrote {len(done)} times: {done[0]}" if len(done) > expect.writes else None
        if expect.still:
            return None if self._world.still(within) else f"something still happens after {expect.within}"
        self._world.until(lambda: self._problem(expect) is None, within)
        return self._problem(expect)

    def _writes(self) -> list[str]:
        return [str(write) for write in self._world.history.writes(NAME) if write.changed]

    def _problem(self, expect: Expect) -> str | None:
        """Return what is not as *expect* says, now."""
        if expect.object is not None:
            found = self._world.api.get(key(expect.object))
            if (found is None) != expect.gone:
                return f"{expect.object} is {'there' if found else 'not there'}"
            return next(
                (_unlike(found, path, value) for path, value in expect.has.items() if _unlike(found, path, value)), None
            )
        parent = key(expect.of) if expect.of else self._parent
        found = self._world.api.get(parent) if parent else None
        return _status_problem((found or {}).get("status") or {}, expect)


def _put_all(item: Json, changes: Json) -> None:
    for path, value in changes.items():
        put(item, path, value)


def _unlike(item: Json | None, path: str, value: object) -> str | None:
    found = look_up(item, path)
    return None if found == value else f"{path} is {found!r}, not {value!r}"


def _status_problem(status: Json, expect: Expect) -> str | None:
    """Return what in *status* is not as *expect* says."""
    conditions: list[Json] = status.get("conditions") or []
    ready = next((item for item in conditions if item["type"] == "Ready"), {})
    if expect.state not in (None, status.get("state")):
        return f"state is {status.get('state')}, not {expect.state}"
    if expect.reason not in (None, ready.get("reason")):
        return f"Ready's reason is {ready.get('reason')}, not {expect.reason}"
    if (expect.message or "") not in (ready.get("message") or ""):
        return f"Ready's message is {ready.get('message')!r}; it lacks {expect.message!r}"
    return None
