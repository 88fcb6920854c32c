"""The scenario to run: from a file, or from the options of ``myresource simulate``."""

import copy
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import app
from app.cli.files.validation import created, problems
from metahook.cli.errors import DocumentError, InputError
from metahook.cli.files.documents import documents, load
from metahook.simulator.path import InvalidPath, PathNotFound, set_value
from metahook.simulator.scenario import Expect, InvalidScenario, Scenario, Step, parse_duration, read_scenario

Json = dict[str, Any]

LONGEST = "1h"
"""Virtual time that an expectation may take."""

_HERE = Path(app.__file__).parent
FOLDERS = (_HERE / "scenarios", _HERE.parent / "examples" / "scenarios")
"""Folders with scenarios: that of an installed package, and that of a checkout."""


class Timed(NamedTuple):
    """An option with a time: ``set`` or ``fail``, its value, and when it applies, in seconds."""

    option: str
    value: str
    at: float


def from_file(name: str) -> Scenario:
    """Return the scenario called *name*, or the one in the file *name*; raise InputError."""
    found = [folder / f"{name}.yaml" for folder in FOLDERS if (folder / f"{name}.yaml").is_file()]
    path = str(found[0]) if found else name
    if not found and name != "-" and not Path(name).exists():
        choices = f"name one of {', '.join(names())}, or a file" if names() else "name a file"
        message = f"{name}: no such scenario; {choices}"
        raise InputError(message)
    read = documents(path)
    if len(read) != 1:
        message = f"{name}: {len(read)} documents; a scenario file has one"
        raise InputError(message)
    try:
        return read_scenario(read[0])
    except InvalidScenario as error:
        message = f"{name}: not a scenario: {error}"
        raise InputError(message) from error


def names() -> list[str]:
    """Return the names of the scenarios in FOLDERS."""
    return sorted({file.stem for folder in FOLDERS for file in folder.glob("*.yaml")})


def from_options(path: str, timed: Iterable[Timed], until: str) -> Scenario:
    """Return the scenario that applies the MyResource in the file *path*, with the timed options; raise InputError."""
    parent = _only(path)
    steps: list[Step] = []
    now = 0.0
    for option, value, at in sorted(timed, key=lambda item: item.at):
        if at > now and not steps:
            steps.append(Step(apply=parent))
        if at > now:
            steps.append(Step(wait=_duration(at - now)))
            now = at
        if option == "fail":
            steps.append(Step(fail=value))  # type: ignore[arg-type] # click has checked it
        else:
            parent = _edited(parent, value, path)
            steps.append(Step(apply=parent))
    if not any(step.apply for step in steps):
        steps.append(Step(apply=parent))
    return Scenario(title=parent["metadata"]["name"], steps=[*_once(steps), *_until(until, now)])


def _once(steps: list[Step]) -> list[Step]:
    """Return *steps* with a single apply at the start, after the failures that hold from the start."""
    first = next((place for place, step in enumerate(steps) if step.wait), len(steps))
    applied = [step for step in steps[:first] if step.apply]
    return [*(step for step in steps[:first] if step.fail), *applied[-1:], *steps[first:]]


def _until(until: str, now: float) -> list[Step]:
    if until == "ready":
        return [Step(expect=Expect(state="Ready", within=LONGEST))]
    if until == "quiet":
        return [Step(expect=Expect(quiet=True, within=LONGEST))]
    end = _seconds("--until", until, also=", or ready, or quiet")
    if end < now:
        message = f"--until {until} is before the last --at; choose a later time"
        raise InputError(message)
    return [Step(wait=_duration(end - now))]


def _duration(seconds: float) -> str:
    return f"{seconds:.6f}s"


def _only(path: str) -> Json:
    found = load(path)
    if len(found) != 1:
        message = f"{path}: {len(found)} objects; simulate takes one MyResource, use a scenario for more"
        raise InputError(message)
    for problem in problems(found[0], path):
        raise InputError(problem)
    return created(found[0])


def _edited(parent: Json, change: str, path: str) -> Json:
    """Return *parent* with a *change* of its spec, such as ``image=nginx:1.28``; raise InputError."""
    from metahook.cli.files.yaml_documents import load_yaml  # noqa: PLC0415 - the image has no YAML

    field, equals, value = change.partition("=")
    if not equals or not field:
        message = "--set needs PATH=VALUE, such as image=nginx:1.28"
        raise InputError(message)
    new = copy.deepcopy(parent)
    try:
        set_value(new["spec"], field.removeprefix("spec."), next(iter(load_yaml(value)), None))
    except DocumentError as error:
        message = f"--set {field}: the value is not YAML: {error}"
        raise InputError(message) from error
    except InvalidPath as error:
        message = f"--set {error}"
        raise InputError(message) from error
    except PathNotFound as error:
        message = f"--set {field}: {error} not found in the spec; set the whole list or map"
        raise InputError(message) from error
    for problem in problems(new, path):
        message = f"--set {field}: {problem}"
        raise InputError(message)
    return new


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
            found[-1] = found[-1]._replace(at=_seconds("--at", value))
        free = name != "ats"
    return found


def _seconds(option: str, value: str, *, also: str = "") -> float:
    try:
        return parse_duration(value)
    except InvalidScenario as error:
        message = f"{option} {error}{also}"
        raise InputError(message) from error
