"""Scenarios: steps in a cluster, and expectations of what follows. Users write them in YAML or JSON.

The steps run in a world one by one, up to the first one that fails. A step names a field by its path, such as
``spec.containers[0].image`` or ``metadata.labels['app.kubernetes.io/name']``.
"""

import re
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

import msgspec

from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.controllers.kubelet import Failure
from metahook.simulator.hook import Reply, Unreachable
from metahook.simulator.metacontroller.children import NAME
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json, Key, key_of
from metahook.simulator.world import NeverQuiet, NoSuchObject, World

_STEP = re.compile(r"\.?(?:([^.\[\]']+)|\[(\d+)\]|\['([^']*)'\])")


class InvalidPath(ValueError):
    """Raised for text that is not a path."""


class PathNotFound(Exception):
    """Raised where a path does not exist in an object. Its text names the missing part."""


def path_steps(path: str) -> list[str | int]:
    """Return the steps of *path*, field names and list indexes; raise InvalidPath."""
    found: list[str | int] = []
    end = 0
    for match in _STEP.finditer(path):
        name, index, quoted = match.groups()
        if match.start() != end:
            break
        found.append(int(index) if index is not None else name if name is not None else quoted)
        end = match.end()
    if not found or end != len(path):
        message = f"{path} is not a path; write it as spec.containers[0].image or metadata.labels['a.b/c']"
        raise InvalidPath(message)
    return found


def look_up(item: Any, path: str) -> Any:
    for step in path_steps(path):
        if isinstance(item, dict):
            item = item.get(str(step))
        elif isinstance(item, list) and isinstance(step, int) and step < len(item):
            item = item[step]
        else:
            return None
    return item


def set_value(item: Any, path: str, value: object) -> None:
    """Set the value at *path* in *item*, in place; None removes the field.

    Creates missing maps on the way; raise PathNotFound for a scalar or a too short list on the way.
    """
    *parents, last = path_steps(path)
    for step in parents:
        item = _inside(item, step)
    if isinstance(item, list) and isinstance(last, int):
        _check(item, last)
        item[last] = value
    elif not isinstance(item, dict) or isinstance(last, int):
        raise PathNotFound(path)
    elif value is None:
        item.pop(last, None)
    else:
        item[last] = value


def _inside(item: Any, step: str | int) -> Any:
    if isinstance(item, list) and isinstance(step, int):
        _check(item, step)
        return item[step]
    if not isinstance(item, dict) or isinstance(step, int):
        raise PathNotFound(str(step))
    if item.get(step) is None:
        item[step] = {}
    return item[step]


def _check(items: list[Any], index: int) -> None:
    if index >= len(items):
        raise PathNotFound(f"[{index}]")


_DURATION = r"[0-9]{1,7}([.][0-9]{1,6})?[smh]"

Duration = Annotated[str, msgspec.Meta(pattern=f"^{_DURATION}$")]
"""Such as ``90s``, ``10m`` or ``1h``."""

FailureName = Literal[
    "bad-image",
    "crash",
    "oom",
    "slow",
    "config-error",
    "unschedulable",
    "unready",
    "evicted",
    "node-lost",
    "fight",
    "none",
]
"""The failure of all containers from then on, by its value in controllers/kubelet.py; ``none`` ends it.

With ``fight`` the containers run, and an autoscaler scales all Deployments.
"""

LONGEST = 1000 * 3600.0
"""Seconds; the longest duration in a scenario."""

ObjectName = Annotated[str, msgspec.Meta(pattern="^[A-Za-z]+/([a-z0-9.-]+/)?[a-z0-9.-]+$")]
"""Such as ``Deployment/web-deployment``, or with a namespace ``Deployment/team-a/web-deployment``."""

_UNITS = {"s": 1, "m": 60, "h": 3600}


class InvalidScenario(ValueError):
    """Raised for a document that is not a scenario. Its text says where, and what is wrong."""


class Edit(msgspec.Struct, forbid_unknown_fields=True):
    """An edit by hand; null removes a field."""

    object: ObjectName
    set: dict[str, Any]


class Delete(msgspec.Struct, forbid_unknown_fields=True):
    """A deletion by hand."""

    object: ObjectName
    policy: Literal["background", "foreground", "orphan"] = "background"


class Undo(msgspec.Struct, forbid_unknown_fields=True):
    """A rollback of a Deployment to a revision."""

    object: ObjectName
    revision: Annotated[int, msgspec.Meta(ge=1)]


class Expect(msgspec.Struct, forbid_unknown_fields=True):
    """An expectation, to be met within a time: of a parent's status, of an object, or of the whole cluster."""

    within: Duration = "0s"
    of: ObjectName | None = None
    """The parent whose status is expected; by default the one that was applied first."""
    state: str | None = None
    reason: str | None = None
    """The reason of the condition Ready."""
    message: str | None = None
    """A part of the message of the condition Ready."""
    object: ObjectName | None = None
    has: dict[str, Any] = {}
    """Values by path; null means that the field does not exist."""
    gone: bool = False
    quiet: bool = False
    """Nothing more is going to happen: only idle timers are left."""
    writes: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """The most writes of Metacontroller while *within* passes."""


class Step(msgspec.Struct, forbid_unknown_fields=True):
    """One action or one expectation; *say* explains it to the reader of the timeline."""

    say: str | None = None
    apply: Json | None = None
    edit: Edit | None = None
    delete: Delete | None = None
    undo: Undo | None = None
    fail: FailureName | None = None
    refuse: str | None = None
    """A kind that the API server refuses to create from then on, as for a quota; ``none`` ends it."""
    hook: Literal["down", "up"] | None = None
    """Whether Metacontroller can connect to the hook from then on."""
    restart: Literal["metacontroller"] | None = None
    wait: Duration | None = None
    expect: Expect | None = None


class Scenario(msgspec.Struct, forbid_unknown_fields=True):
    """A title, the steps, and lines to show when all expectations were met (*next*)."""

    title: str
    steps: list[Step]
    next: list[str] = []
    mode: Mode | None = None
    """The apply strategy, if the scenario is about one."""
    watch: Json | None = None
    """What the controller watches besides its children, in the words of the program that runs the scenario."""


def read_scenario(document: object) -> Scenario:
    """Return *document*, decoded YAML or JSON, as a scenario; raise InvalidScenario."""
    if not isinstance(document, dict):
        message = "it must be an object, with its actions in steps"
        raise InvalidScenario(message)
    try:
        scenario = msgspec.convert(document, Scenario)
    except msgspec.ValidationError as error:
        raise InvalidScenario(str(error)) from None
    for number, step in enumerate(scenario.steps):
        _check_expect(number + 1, step.expect)
        _check_paths(number + 1, step)
        parse_duration(step.wait or (step.expect.within if step.expect else "0s"))
        actions = [name for name in step.__struct_fields__ if name != "say" and getattr(step, name) is not None]
        if len(actions) != 1 and not (step.say and not actions):
            message = f"step {number + 1} has {len(actions)} actions; each step has one (apply, edit, expect, ...)"
            raise InvalidScenario(message)
        if step.apply is not None and not _is_object(step.apply):
            message = f"step {number + 1} applies an object without apiVersion, kind or metadata.name"
            raise InvalidScenario(message)
    return scenario


def _check_expect(number: int, expect: Expect | None) -> None:
    """Raise InvalidScenario unless *expect* has exactly one subject: a status, an object, quiet or writes."""
    if expect is None:
        return
    of_status = any(value is not None for value in (expect.state, expect.reason, expect.message))
    kinds = [of_status, expect.object is not None, expect.quiet, expect.writes is not None]
    stray = (expect.gone or expect.has) and expect.object is None
    if sum(kinds) != 1 or stray or (expect.gone and expect.has):
        message = f"step {number} must expect one of: a status, an object, quiet, writes"
        raise InvalidScenario(message)


def _check_paths(number: int, step: Step) -> None:
    """Raise InvalidScenario if *step* has a malformed path."""
    for path in [*(step.edit.set if step.edit else ()), *(step.expect.has if step.expect else ())]:
        try:
            path_steps(path)
        except InvalidPath as error:
            message = f"step {number}: {error}"
            raise InvalidScenario(message) from None


def parse_duration(duration: str) -> float:
    """Return *duration* in seconds; raise InvalidScenario."""
    found = float(duration[:-1]) * _UNITS[duration[-1]] if re.fullmatch(_DURATION, duration) else LONGEST + 1
    if found > LONGEST:
        message = f"{duration} is not a duration up to 1000h; write it as 90s, 10m or 1h"
        raise InvalidScenario(message)
    return found


def parse_object_name(text: str) -> Key:
    """Return the key of ``Kind/name`` or ``Kind/namespace/name``; the namespace is ``default`` if left out."""
    kind, *namespace, name = text.split("/")
    return Key(kind, namespace[0] if namespace else "default", name)


def _is_object(item: Json) -> bool:
    metadata = item.get("metadata")
    named = isinstance(metadata, dict) and isinstance(metadata.get("name"), str)
    return named and all(isinstance(item.get(name), str) for name in ("apiVersion", "kind")) and bool(key_of(item))


class StepResult(msgspec.Struct, frozen=True):
    """The result of a step; ``number`` counts from 1.

    ``problem`` says why the step failed: the error of an action, or the difference from an expectation.
    """

    number: int
    step: Step
    at: float
    """When it began, in seconds."""
    problem: str | None = None


def run_scenario(
    scenario: Scenario, world: World, announce: Callable[[Step], object] = bool, *, goes_on: bool = False
) -> Iterator[StepResult]:
    """Run the steps of *scenario*, and yield the result of each; the first step that fails is the last one.

    If it *goes_on*, the others follow, as users go on in a cluster. *announce* is called with each step before it runs.
    """
    runner = _Runner(world)
    for number, step in enumerate(scenario.steps, start=1):
        announce(step)
        at = world.clock.now
        problem = runner.run(step)
        yield StepResult(number, step, at, problem)
        if problem is not None and not goes_on:
            return


class _Runner:
    def __init__(self, world: World) -> None:
        self._world = world
        self._parent: Key | None = None
        self._refused: set[str] = set()
        self._hook = world.metacontroller.hook
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
        elif step.wait is not None:
            world.run(parse_duration(step.wait))
        elif step.expect is not None:
            return self._expect(step.expect)
        else:
            self._break(step)
        return None

    def _break(self, step: Step) -> None:
        """Let something go wrong in the cluster, or end it."""
        metacontroller = self._world.metacontroller
        if step.fail is not None:
            self._fail(step.fail)
        elif step.refuse is not None:
            self._refused = {step.refuse}
        elif step.hook is not None:
            metacontroller.connect(_cut_off if step.hook == "down" else self._hook)
        elif step.restart is not None:
            metacontroller.restart()

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


def _cut_off(hook: str, body: bytes) -> Reply:
    """Respond as an address on which nothing listens."""
    del hook, body
    raise Unreachable("connection refused")


def _put_all(item: Json, changes: Json) -> None:
    for path, value in changes.items():
        set_value(item, path, value)


def _mismatch(item: Json | None, path: str, value: object) -> str | None:
    observed = look_up(item, path)
    return None if observed == value else f"{path} is {observed!r}, not {value!r}"


def _status_problem(status: Json, expect: Expect) -> str | None:
    conditions: list[Json] = status.get("conditions") or []
    ready = next((item for item in conditions if item["type"] == "Ready"), {})
    if expect.state not in (None, status.get("state")):
        return f"state is {status.get('state')}, not {expect.state}"
    if expect.reason not in (None, ready.get("reason")):
        return f"the reason of Ready is {ready.get('reason')}, not {expect.reason}"
    if (expect.message or "") not in (ready.get("message") or ""):
        return f"the message of Ready is {ready.get('message')!r}, without {expect.message!r}"
    return None
