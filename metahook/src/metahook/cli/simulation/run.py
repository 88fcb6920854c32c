"""Runs a scenario, from a file or from options of a command, at a pace, shows it on a screen, and reports how it ended.

Faults make changes arrive late, and lose responses. Nothing in them is random.
"""

import copy
import re
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args

import click

from metahook.cli.errors import DocumentError, InputError
from metahook.cli.files.documents import documents
from metahook.protocol.objects import Json
from metahook.simulator.findings import findings
from metahook.simulator.hook import Hook, Reply, Unreachable
from metahook.simulator.metacontroller.children import NAME
from metahook.simulator.objects import key_of
from metahook.simulator.scenarios import (
    Expect,
    FailureName,
    InvalidPath,
    InvalidScenario,
    PathNotFound,
    Scenario,
    Step,
    StepResult,
    parse_duration,
    read_scenario,
    run_scenario,
    set_value,
)
from metahook.simulator.world import NeverQuiet, World

if TYPE_CHECKING:
    from metahook.cli.simulation.screen import Screen

C = TypeVar("C", bound=Callable[..., Any])

LONGEST = "1h"
"""Virtual time that an expectation may take."""


class Timed(NamedTuple):
    """An option with a time: ``set`` or ``fail``, its value, and when it applies, in seconds."""

    option: str
    value: str
    at: float


class InOrder(click.Command):
    """Keeps the order of the options: --at belongs to the --set or --fail before it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse *args*, and remember their order."""
        given, _, order = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta["timed"] = [(option.name, next(values)) for option, values in _each(given, order)]
        return super().parse_args(ctx, args)


def _each(given: Any, order: list[click.Parameter]) -> Any:  # noqa: ANN401 - as click's parser has it
    """Yield the timed options in the order of the command line, each with an iterator of its values."""
    values = {name: iter(given.get(name) or ()) for name in ("sets", "fails", "ats")}
    return ((option, values[option.name]) for option in order if option.name in values)


def with_timed_options(command: C) -> C:
    """Give *command* the options for changes at a time; it finds their values in ``meta["timed"]``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = [
    click.option(
        "--set", "sets", multiple=True, metavar="PATH=VALUE", help="Set a field of the spec. May be repeated."
    ),
    click.option(
        "--fail",
        "fails",
        multiple=True,
        type=click.Choice(get_args(FailureName)),
        help="Make all containers fail in this way, or an autoscaler scale the Deployment (fight); none ends it. May "
        "be repeated.",
    ),
    click.option(
        "--at",
        "ats",
        multiple=True,
        metavar="TIME",
        help="When the preceding --set or --fail takes effect, such as 5s or 2m. Default is the start.",
    ),
]


def timed(given: Iterable[tuple[str, str]]) -> list[Timed]:
    """Return the options with their times, *given* by name in the order of the command line; raise InputError."""
    found: list[Timed] = []
    free = False
    for name, value in given:
        if name != "ats":
            found.append(Timed(name.removesuffix("s"), value, 0.0))
        elif not free:
            message = "each --at must follow the --set or --fail that it belongs to"
            raise InputError(message)
        else:
            found[-1] = found[-1]._replace(at=parse_seconds("--at", value))
        free = name != "ats"
    return found


def scenario_of(
    parent: Json,
    changes: Iterable[Timed],
    until: str,
    edit: Callable[[Json, str], Json],
    words: tuple[str, ...] = ("quiet",),
) -> Scenario:
    """Return the scenario that applies *parent*, with *changes*, up to the time *until*; raise InputError.

    *until* is a time, or one of *words*: ready, quiet. *edit* returns a parent with a change, such as ``image=nginx``.
    """
    steps: list[Step] = []
    now = 0.0
    for option, value, at in sorted(changes, key=lambda item: item.at):
        if at > now and not steps:
            steps.append(Step(apply=parent))
        if at > now:
            steps.append(Step(wait=_duration(at - now)))
            now = at
        if option == "fail":
            steps.append(Step(fail=value))  # type: ignore[arg-type] # click has checked it
        else:
            parent = edit(parent, value)
            steps.append(Step(apply=parent))
    if not any(step.apply for step in steps):
        steps.append(Step(apply=parent))
    return Scenario(title=parent["metadata"]["name"], steps=[*_once(steps), *_until(until, now, words)])


def _once(steps: list[Step]) -> list[Step]:
    """Return *steps* with a single apply at the start, after the failures that hold from the start."""
    first = next((place for place, step in enumerate(steps) if step.wait), len(steps))
    applied = [step for step in steps[:first] if step.apply]
    return [*(step for step in steps[:first] if step.fail), *applied[-1:], *steps[first:]]


def _until(until: str, now: float, words: tuple[str, ...]) -> Iterator[Step]:
    if until in words:
        expect = Expect(state="Ready", within=LONGEST) if until == "ready" else Expect(quiet=True, within=LONGEST)
        yield Step(expect=expect)
        return
    end = parse_seconds("--until", until, also="".join(f", or {word}" for word in words))
    if end < now:
        message = f"--until {until} is before the last --at; choose a later time"
        raise InputError(message)
    yield Step(wait=_duration(end - now))


def _duration(seconds: float) -> str:
    return f"{seconds:.6f}s"


def parse_seconds(option: str, value: str, *, also: str = "") -> float:
    """Return the duration *value* of *option* in seconds; raise InputError, which names what *also* is possible."""
    try:
        return parse_duration(value)
    except InvalidScenario as error:
        message = f"{option} {error}{also}"
        raise InputError(message) from error


def edited(parent: Json, change: str) -> Json:
    """Return *parent* with a *change* of its spec, such as ``image=nginx:1.28``; raise InputError."""
    from metahook.cli.files.yaml_documents import load_yaml  # noqa: PLC0415 - an image may have no YAML

    field, equals, value = change.partition("=")
    if not equals or not field:
        message = "--set needs PATH=VALUE, such as image=nginx:1.28"
        raise InputError(message)
    new = copy.deepcopy(parent)
    try:
        set_value(new.setdefault("spec", {}), field.removeprefix("spec."), next(iter(load_yaml(value)), None))
    except DocumentError as error:
        message = f"--set {field}: the value is not YAML: {error}"
        raise InputError(message) from error
    except InvalidPath as error:
        message = f"--set {error}"
        raise InputError(message) from error
    except PathNotFound as error:
        message = f"--set {field}: {error} not found in the spec; set the whole list or map"
        raise InputError(message) from error
    return new


def read_scenario_file(name: str, folders: Iterable[Path] = ()) -> Scenario:
    """Return the scenario called *name* in *folders*, or the one in the file *name*; raise InputError."""
    known = {file.stem: file for folder in folders for file in folder.glob("*.yaml")}
    if name not in known and name != "-" and not Path(name).exists():
        choices = f"name one of {', '.join(sorted(known))}, or a file" if known else "name a file"
        message = f"{name}: no such scenario; {choices}"
        raise InputError(message)
    read = documents(str(known.get(name, name)))
    if len(read) != 1:
        message = f"{name}: {len(read)} documents; a scenario file has one"
        raise InputError(message)
    try:
        return read_scenario(read[0].value)
    except InvalidScenario as error:
        message = f"{name}: not a scenario: {error}"
        raise InputError(message) from error


LATE = 5.0
"""Seconds until Metacontroller sees a change of a stale kind."""

_PERCENT = re.compile(r"([0-9]{1,2})%?")


def delay(world: World, kinds: tuple[str, ...]) -> None:
    """Let changes of *kinds* arrive late in *world*; ``parent`` stands for the kinds of parents; raise InputError."""
    parents = {parent.kind.kind for parent in world.settings.parents}
    served = {kind.kind for kind in world.settings.kinds}
    stale = {name for kind in kinds for name in (parents if kind == "parent" else {kind})}
    if stale - served:
        message = f"--stale {min(stale - served)}: no such kind; write one as in a manifest, such as Pod"
        raise InputError(message)
    cache = world.metacontroller.cache
    usual = cache.delays
    cache.delays = lambda write: [LATE] if write.key.kind in stale else usual(write)


def lose(world: World, share: str) -> None:
    """Lose the *share*, in percent, of the responses of the hook in *world*; raise InputError."""
    percent = _PERCENT.fullmatch(share)
    if not percent:
        message = "--lose is not a share from 0% to 99%; write it as 10%"
        raise InputError(message)
    world.metacontroller.hook = _Losing(world.metacontroller.hook, int(percent[1]))


class _Losing:
    """Loses every so many responses of *hook*: with 10 percent, each tenth."""

    def __init__(self, hook: Hook, percent: int) -> None:
        self._hook = hook
        self._percent = percent
        self._owed = 0

    def __call__(self, hook: str, body: bytes) -> Reply:
        reply = self._hook(hook, body)
        self._owed += self._percent
        if self._owed >= 100:  # noqa: PLR2004 - percent
            self._owed -= 100
            message = "the response of the hook was lost"
            raise Unreachable(message)
        return reply


OBSERVATION = 1800.0
"""Virtual seconds for which a quiet world is observed, to verify that it stays quiet."""


LONGEST_PAUSE = 1.0
"""Real seconds between two lines on a terminal."""

READING_SPEED = 5.0
"""Simulated seconds per second between two lines on a terminal."""


def pause(passing: float) -> None:
    """Sleep between two lines on a terminal, between which simulated seconds have passed."""
    time.sleep(min(passing / READING_SPEED, LONGEST_PAUSE))


def pass_time(world: World, screen: "Screen", speed: float) -> None:
    """Tell *screen* when time passes in *world*, and sleep meanwhile: *speed* simulated seconds a second, unless 0."""

    def wait(passing: float) -> None:
        screen.time_passes(world.clock.now + passing)
        if speed:
            time.sleep(passing / speed)

    world.clock.pace = wait


class Ended(NamedTuple):
    """How a scenario ended: the summary, with its ``findings`` and maybe a ``problem``, and the result of each step."""

    summary: dict[str, Any]
    results: list[StepResult]


def run(scenario: Scenario, world: World, screen: "Screen", *, numbered: bool) -> Ended:
    """Run *scenario*, and report how it ended.

    Parents are expected to be Ready in the end, unless a step asks for a failure, or expects another status. A step
    that fails is named by its number if the steps are *numbered*.
    """
    results = list(run_scenario(scenario, world, lambda step: screen.step(step, world.clock.now)))
    problem = next((_problem(result, numbered=numbered) for result in results if result.problem), None)
    unready = "" if any(map(_asks_for_failure, scenario.steps)) else _unready(world, scenario)
    quiet = problem is None and not world.clock.is_busy and _stays_quiet(world)
    problem = problem or unready
    ended = world.clock.now
    found = [{"rule": item.rule, "object": str(item.key), "message": item.message} for item in findings(world.history)]
    summary = _counts(world, quiet=quiet, ended=ended) | {"findings": found} | ({"problem": problem} if problem else {})
    screen.end(summary)
    if problem:
        screen.say(problem, "bad")
    elif scenario.next and not found:
        screen.say("\n".join(["", *scenario.next]))
    return Ended(summary, results)


def _unready(world: World, scenario: Scenario) -> str:
    """Return which parents do not end Ready; empty if all do.

    One whose Ready is Unknown is not meant to be: it is suspended. One for which a wait ends may still be on its way.
    """
    type_, status = ("Stalled", "True") if scenario.steps and scenario.steps[-1].wait else ("Ready", "False")
    found = []
    for parent in (item for each in world.settings.parents for item in world.api.all(each.kind.kind)):
        conditions = {item["type"]: item for item in (parent.get("status") or {}).get("conditions") or ()}
        if conditions.get(type_, {}).get("status") == status:
            found.append(f"{key_of(parent)} ({conditions.get('Ready', {}).get('reason')})")
    return f"Not Ready: {', '.join(found)}." if found else ""


def _asks_for_failure(step: Step) -> bool:
    expected = (step.expect.state, step.expect.reason, step.expect.message) if step.expect else ()
    return step.fail not in (None, "none") or step.refuse not in (None, "none") or any(expected)


def _stays_quiet(world: World) -> bool:
    """Observe a quiet world; tell whether Metacontroller writes nothing."""
    before = _writes(world)
    world.clock.pace = lambda _: None
    try:
        world.run(OBSERVATION)
    except NeverQuiet:
        return False
    return _writes(world) == before


def _counts(world: World, *, quiet: bool, ended: float) -> dict[str, Any]:
    last = max((write.at for write in world.history.writes() if write.changed), default=0.0)
    return {
        "at": last if quiet else ended,
        "quiet": quiet,
        "calls": sum(1 for _ in world.history.calls("sync", "customize")),
        "writes": _writes(world),
    }


def _writes(world: World) -> int:
    return sum(1 for write in world.history.writes(NAME) if write.changed)


def _problem(result: StepResult, *, numbered: bool) -> str:
    what = "Expectation not met" if result.step.expect else "Failed"
    return f"{f'Step {result.number}: ' if numbered else ''}{what}: {result.problem}."
