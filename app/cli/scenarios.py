"""The scenario to run: from a file, or from the options of ``myresource simulate``."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import app
from app.cli.files.validation import created, problems
from metahook.cli.errors import InputError
from metahook.cli.files.manifest import load
from metahook.cli.simulation.scenarios import LONGEST, Timed, edited, read_scenario_file, scenario_of
from metahook.simulator.scenarios.scenario import Scenario

Json = dict[str, Any]

_HERE = Path(app.__file__).parent
FOLDERS = (_HERE / "scenarios", _HERE.parent / "examples" / "scenarios")
"""Folders with scenarios: that of an installed package, and that of a checkout."""


def from_file(name: str) -> Scenario:
    """Return the scenario called *name*, or the one in the file *name*; raise InputError."""
    found = [folder / f"{name}.yaml" for folder in FOLDERS if (folder / f"{name}.yaml").is_file()]
    path = str(found[0]) if found else name
    if not found and name != "-" and not Path(name).exists():
        choices = f"name one of {', '.join(names())}, or a file" if names() else "name a file"
        message = f"{name}: no such scenario; {choices}"
        raise InputError(message)
    return read_scenario_file(path, name)


def names() -> list[str]:
    """Return the names of the scenarios in FOLDERS."""
    return sorted({file.stem for folder in FOLDERS for file in folder.glob("*.yaml")})


def from_options(path: str, timed: Iterable[Timed], until: str) -> Scenario:
    """Return the scenario that applies the MyResource in the file *path*, with the timed options; raise InputError."""
    parent = _only(path)
    if until == "quiet" and "schedule" in parent["spec"]:
        until = LONGEST  # the next transition of a schedule is always left to do
    return scenario_of(parent, timed, until, lambda parent, change: _edited(parent, change, path), ("ready", "quiet"))


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
    new = edited(parent, change)
    for problem in problems(new, path):
        message = f"--set {change.partition('=')[0]}: {problem}"
        raise InputError(message)
    return new
