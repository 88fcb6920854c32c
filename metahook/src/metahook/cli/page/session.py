"""What was done in the browser, in a new simulated cluster: the texts, and a session of steps at their times.

A session ends when the cluster is quiet, or at a limit. A hook that raises, or answers nonsense, fails a call, as in a
cluster. One that does not return can't be stopped: ``Session.give_up`` then returns what was before, and that call.
"""

import math
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec.structs import replace
from pydantic import BaseModel, Field

from metahook.cli.binding import traits
from metahook.cli.dev_log import error_lines
from metahook.cli.errors import DocumentError, InputError
from metahook.cli.files.documents import check_text, read_text
from metahook.cli.files.manifests import manifests_in
from metahook.cli.files.objects import Objects, created
from metahook.cli.hooks.named_hook import LocalHook, StrictHook
from metahook.cli.hooks.subject import HookUnderTest
from metahook.cli.page.document import page_data
from metahook.cli.page.history import history_json
from metahook.clock import utc_now
from metahook.protocol.objects import Json, Kind
from metahook.simulator.apiserver.custom_rules import schemas
from metahook.simulator.history import Call, parent_in
from metahook.simulator.hook import Hook, Reply, in_process
from metahook.simulator.objects import key_of
from metahook.simulator.scenarios import LONGEST, read_scenario, run_scenario
from metahook.simulator.world import HOUR, NeverQuiet

if TYPE_CHECKING:
    from datetime import datetime

MOST_STEPS = 1000

LIMIT = 10.0
"""Real seconds of a simulation."""

QUIET_WITHIN = HOUR
"""Virtual seconds, as there may always be something left to do."""

_FAILED = 500

_TEXT = "text"
"""What the text is called where a file has its name."""

_LINE = re.compile(rf"{_TEXT}(?::(\d+))?: (.*)", re.DOTALL)

Seconds = Annotated[float, Field(ge=0, le=LONGEST)]


class TimedStep(BaseModel, extra="allow"):
    """A step of a scenario that was done ``at`` a time, in seconds. ``apply`` is the text of objects."""

    at: Seconds
    apply: str | None = None


class Steps(BaseModel, extra="forbid"):
    """The steps in the order of their times. The simulation lasts at least ``until``, if that is not null."""

    steps: Annotated[list[TimedStep], Field(min_length=1, max_length=MOST_STEPS)]
    until: Seconds | None = None


class TextToCheck(BaseModel, extra="forbid"):
    """A text that replaces the one ``before``."""

    text: str
    before: str | None = None


class WrongText(Exception):
    """Raised for the text of a *step*: its *errors* have lines, which may be None, and messages."""

    def __init__(self, errors: list[Json], step: int) -> None:
        super().__init__("the text is wrong")
        self.errors = errors
        self.step = step


class _TooLong(Exception):
    """Raised to end a simulation at its limit."""


def examples(files: tuple[str, ...]) -> list[Json]:
    """Return the texts in *files*; raise InputError."""
    return [{"name": os.path.relpath(name), "text": _text_of(name)} for name in files]


def _text_of(file: str) -> str:
    try:
        return check_text(read_text(file))
    except DocumentError as error:
        message = f"{file}: {error.problem}"
        raise InputError(message) from error


def live_data(subject: HookUnderTest, files: tuple[str, ...], limit: int) -> Json:
    """Return what the page starts with in a browser, which may send *limit* bytes; raise InputError.

    Its examples are in *files*; without any, there is the shortest text of a parent.
    """
    settings, parent = subject.settings, subject.settings.parent
    known = {"/".join(key): schema for key, schema in schemas(settings.crds).items()}
    if parent_schema := traits().schema:
        known[f"{parent.api_version}/{parent.kind}"] = parent_schema()
    return page_data(
        settings,
        live=True,
        limit=limit,
        examples=examples(files) or [_shortest(parent)],
        schemas={name: _without_rules(schema) for name, schema in known.items()},
    )


_RULES = ("x-kubernetes-validations", "x-kubernetes-list")


def _without_rules(schema: Any) -> Any:  # noqa: ANN401 - a part of a schema
    """Return *schema* without what is not for people who complete a field."""
    if isinstance(schema, list):
        return [_without_rules(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: _without_rules(inner) for name, inner in schema.items() if not name.startswith(_RULES)}


def _shortest(kind: Kind) -> Json:
    text = f"apiVersion: {kind.api_version}\nkind: {kind.kind}\nmetadata:\n  name: my-example\nspec: {{}}\n"
    return {"name": "shortest", "text": text}


def check(subject: HookUnderTest, given: TextToCheck) -> list[Json]:
    """Return what is wrong with a text: lines, which may be None, and messages."""
    before = None
    with suppress(InputError):
        before = _objects(subject, given.before, None) if given.before else None
    try:
        _objects(subject, given.text, before)
    except InputError as error:
        return [_with_line(line) for line in error.lines]
    return []


def _objects(subject: HookUnderTest, text: str, before: Objects | None) -> Objects:
    """Return the objects in *text*, which replace those *before*; raise InputError."""
    return Objects.of(manifests_in(text, _TEXT), _TEXT, subject.settings).accepted(subject.settings, before)


def _with_line(message: str) -> Json:
    found = _LINE.fullmatch(message)
    return {"line": int(found[1]) if found and found[1] else None, "message": found[2] if found else message}


class Session:
    """The *steps* in a new cluster with the hook of *subject*; raise WrongText, and InvalidScenario."""

    def __init__(self, subject: HookUnderTest, steps: Steps) -> None:
        self._hook = _Called(subject.hook)
        self._world = replace(subject, hook=self._hook).world()
        self._hook.now = self._world.clock.time
        self._scenario = read_scenario({"title": "", "steps": list(_scenario_steps(subject, steps))})
        self._deadline = math.inf
        self._world.clock.pace = self._check_time

    @property
    def hangs(self) -> bool:
        """Whether the hook has not returned from a call for as long as a simulation may take."""
        running = self._hook.running
        return running is not None and time.monotonic() - running.since > LIMIT

    def run(self) -> bytes:
        """Return the history as JSON. It takes about as long as LIMIT at most, or for ever if the hook hangs."""
        problem = None
        self._deadline = min(self._deadline, time.monotonic() + LIMIT)
        try:
            for result in run_scenario(self._scenario, self._world, goes_on=True):
                problem = result.problem if result.step.wait is None else problem  # of what was done last
            self._world.until_quiet(QUIET_WITHIN)
        except NeverQuiet as error:
            problem = str(error)
        except _TooLong:
            problem = f"stopped, because the simulation took longer than {LIMIT:.0f} s"
        return self._history(problem)

    def stop(self) -> None:
        """End it soon, because nobody wants it any more."""
        self._deadline = -math.inf

    def give_up(self) -> bytes:
        """Return the history of a session that hangs, which ends if the hook ever returns."""
        self.stop()
        if running := self._hook.running:
            key, problem = key_of(parent_in(running.body)), "the hook has not returned"
            self._world.history.add(Call(self._world.clock.now, running.hook, key, running.body, None, b"", problem))
        return self._history(f"stopped, because the hook has not returned for {LIMIT:.0f} s: start it again")

    def _history(self, problem: str | None) -> bytes:
        return msgspec.json.encode(history_json(self._world, problem, traits().words.bad_states))

    def _check_time(self, _: float) -> None:
        if time.monotonic() > self._deadline:
            raise _TooLong


def _scenario_steps(subject: HookUnderTest, steps: Steps) -> Iterator[Json]:
    """Yield *steps* as those of a scenario; raise WrongText."""
    now, objects = 0.0, None
    for index, step in enumerate(steps.steps):
        if step.at > now:
            yield {"wait": f"{step.at - now:.6f}s"}
            now = step.at
        if step.apply is None:
            yield step.model_extra or {}
            continue
        try:
            objects = _objects(subject, step.apply, objects)
        except InputError as error:
            raise WrongText([_with_line(line) for line in error.lines], index) from error
        yield from ({"apply": created(item.content)} for item in (*objects.others, *objects.parents))
    if steps.until and steps.until > now:
        yield {"wait": f"{steps.until - now:.6f}s"}


class _Running(NamedTuple):
    """A call that has not returned, and *since* when, by the clock of this process."""

    hook: str
    body: bytes
    since: float


class _Called:
    """Calls *hook* as a cluster does: what it raises is a response with status 500, with a traceback for its author."""

    def __init__(self, hook: Hook) -> None:
        self.now: Callable[[], datetime] = utc_now
        self.running: _Running | None = None
        self._raised: list[BaseException] = []
        self._hook = hook.hook if isinstance(hook, StrictHook) else hook
        if isinstance(hook, LocalHook):
            time_of_call = lambda: self.now()  # noqa: E731, PLW0108 - it is set later
            self._hook = in_process(hook.controller, time_of_call, self._raised.append)

    def __call__(self, hook: str, body: bytes) -> Reply:
        """Return the reply; raise Unreachable."""
        self.running = _Running(hook, body, time.monotonic())
        self._raised.clear()
        try:
            reply = self._hook(hook, body)
        except SystemExit as error:
            self._raised.append(error)
            reply = Reply(_FAILED, b"")
        finally:
            self.running = None
        return reply._replace(problem="\n".join(error_lines(self._raised[0]))) if self._raised else reply
