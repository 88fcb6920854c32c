"""The scenario to run: from a file, or from the options ``--set``, ``--fail`` and ``--at`` of a command."""

import copy
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, get_args

import click

from metahook.cli.errors import DocumentError, InputError
from metahook.cli.files.documents import documents
from metahook.protocol.objects import Json
from metahook.simulator.scenarios import (
    Expect,
    FailureName,
    InvalidPath,
    InvalidScenario,
    PathNotFound,
    Scenario,
    Step,
    parse_duration,
    read_scenario,
    set_value,
)

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
