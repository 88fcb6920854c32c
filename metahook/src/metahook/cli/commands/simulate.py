"""``simulate``: runs a hook in a simulated cluster, and shows what becomes of its parents."""

import math
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from metahook.cli.binding import traits, words
from metahook.cli.commands.options import with_files, with_output, with_subject
from metahook.cli.errors import InputError, input_errors
from metahook.cli.files.documents import FILE
from metahook.cli.files.objects import Objects, check_edited, created
from metahook.cli.hooks.subject import HookUnderTest
from metahook.cli.simulation.run import (
    LONGEST,
    Ended,
    InOrder,
    Timed,
    delay,
    edited,
    lose,
    pass_time,
    pause,
    read_scenario_file,
    run,
    scenario_of,
    timed,
    with_timed_options,
)
from metahook.cli.simulation.screen import JsonLines, Lines, Plain, Screen, wrap_words
from metahook.simulator.history import Call, Entry
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Json
from metahook.simulator.scenarios import Scenario, Step
from metahook.simulator.world import World

if TYPE_CHECKING:
    from metahook.cli.simulation.terminal import Terminal


@click.command("simulate", cls=InOrder)
@partial(with_files, required=False)
@with_subject
@with_timed_options
@click.option(
    "--until",
    default="quiet",
    show_default=True,
    metavar="WORD|TIME",
    help="When to stop: when nothing is left to do (quiet), or after a time such as 60s. A command line that is "
    "made for one controller may add the word ready.",
)
@click.option(
    "--scenario",
    type=FILE,
    metavar="SCENARIO",
    help="Run the steps of this file, or of a scenario with this name, after the objects are created.",
)
@click.option(
    "--stale",
    multiple=True,
    metavar="KIND",
    help="Let Metacontroller see changes of objects of this kind, or of the parent, 5 seconds late. May be repeated.",
)
@click.option("--lose", "lost", metavar="PERCENT", help="Lose this share of the responses of the hook, such as 10%.")
@click.option(
    "--speed",
    type=click.FloatRange(min=0),
    metavar="N",
    help="Simulated seconds for each real second; 0 is as fast as possible. By default, a terminal pauses between two "
    "lines for up to a second.",
)
@click.option(
    "--all",
    "shows_all",
    is_flag=True,
    help="Show each write, also of Kubernetes' own controllers, and each status. By default, only what you do and what "
    "becomes of it is shown.",
)
@with_output
@click.option(
    "--html",
    "page",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write a page that shows the simulation into this file. It needs nothing else.",
)
@input_errors()
def command(  # noqa: PLR0913, PLR0917 - one argument an option
    files: tuple[str, ...],
    subject: HookUnderTest,
    until: str,
    scenario: str | None,
    stale: tuple[str, ...],
    lost: str | None,
    speed: float | None,
    output: str,
    page: Path | None,
    *,
    shows_all: bool,
    **_: object,
) -> int:
    """Run a hook in a simulated cluster, and show what becomes of its parents.

    Metacontroller, the API server, Kubernetes' own controllers and the time are simulated. What would harm a real
    cluster is a finding. What a cluster would refuse of the files is refused before anything is simulated. A parent is
    expected to be Ready in the end, unless --fail or a scenario asks for a failure, or the scenario for another status.

    \b
    Exit status:
      0  success
      1  an object is refused, the hook would harm a real cluster, or an expectation was not met
      2  an error occurred
    """  # noqa: D301 - click keeps the line breaks after this control character
    given = click.get_current_context().meta["timed"]
    _check(files, scenario, more=bool(given) or until != "quiet", speed=speed, page=page)
    chosen = read_scenario_file(scenario, traits().scenarios) if scenario else None
    subject = subject.of_scenario(chosen) if chosen else subject
    objects = Objects.read(files, subject.settings) if files else Objects((), ())
    world = subject.world()
    chosen = _with_objects(objects, chosen) if chosen else _of_options(objects, timed(given), until, world.settings)
    console = _console()
    screen = _screen(console, world, output, shows_all=shows_all)
    if isinstance(screen, Lines) and console.is_terminal and speed is None:
        screen.pause = pause
    _add_faults(world, stale, lost)
    for gap in world.settings.gaps:
        screen.say(gap, "detail")
    world.history.listeners.append(_from_first_call(screen.entry))
    pass_time(world, screen, speed or 0)
    end = run(chosen, world, screen, numbered=scenario is not None)
    if page:
        _write(page, world, end)
    return 1 if "problem" in end.summary or end.summary["findings"] else 0


def _write(page: Path, world: World, end: Ended) -> None:
    """Write the page with the history of *world*, and what was done; raise InputError."""
    from metahook.cli.page.document import document, page_data  # noqa: PLC0415 - few simulations need it
    from metahook.cli.page.history import history_json  # noqa: PLC0415 - as above

    history = history_json(world, end.summary.get("problem"), words().bad_states)
    steps = [{"at": result.at, **_done(result.step)} for result in end.results]
    shown = document(page_data(world.settings, simulation=history, steps=steps))
    try:
        page.write_text(shown, encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or "cannot be written").lower()
        message = f"--html {page}: {reason}; name a file in an existing directory"
        raise InputError(message) from error


def _done(step: Step) -> Json:
    return {name: value for name, value in msgspec.to_builtins(step).items() if value is not None}


def _check(files: tuple[str, ...], scenario: str | None, *, more: bool, speed: float | None, page: Path | None) -> None:
    """Raise UsageError for options that exclude one another or are invalid; *more*: some that a scenario excludes."""
    message = None
    if not files and not scenario:
        message = f"specify a {words().parent} with -f, or a scenario with --scenario"
    elif scenario and more:
        message = "--set, --fail, --at and --until can't be used with --scenario: write them as steps of the scenario"
    elif speed is not None and not math.isfinite(speed):
        message = "--speed is not a number; write simulated seconds for each real second, such as 5"
    elif page and not page.parent.is_dir():
        message = f"--html {page}: no such directory; name a file in an existing directory"
    if message:
        raise click.UsageError(message)


_FOR_COLOURS = ("FORCE_COLOR", "TTY_COMPATIBLE")
"""The variables with which rich may take a pipe for a terminal."""


def _console() -> "Terminal | Plain":
    """Return the terminal, or plain standard output where there is none, or rich is not installed."""
    if sys.stdout.isatty() or any(map(os.environ.get, _FOR_COLOURS)):
        with suppress(ModuleNotFoundError):  # the image has no rich
            from metahook.cli.simulation.terminal import Terminal  # noqa: PLC0415 - it takes time to import

            return Terminal()
    return Plain()


def _screen(console: "Terminal | Plain", world: World, output: str, *, shows_all: bool) -> Screen:
    if output == "json":
        return JsonLines(console)
    kinds, chosen = [parent.kind.kind for parent in world.settings.parents], words()
    return Lines(kinds, console, shows_all=shows_all, wrap=chosen.wrap or wrap_words, bad_states=chosen.bad_states)


def _with_objects(objects: Objects, scenario: Scenario) -> Scenario:
    steps = [Step(apply=created(item.content)) for item in (*objects.others, *objects.parents)]
    scenario.steps[:0] = steps
    return scenario


def _of_options(objects: Objects, changes: list[Timed], until: str, settings: Settings) -> Scenario:
    """Return the scenario that creates *objects*, and then makes the *changes* to the one parent."""
    *before, parent = (created(item.content) for item in (*objects.others, *objects.parents))
    if len(objects.parents) > 1 and any(change.option == "set" for change in changes):
        message = f"--set needs one parent; the files have {len(objects.parents)}"
        raise InputError(message)
    if until == "quiet" and any(map(traits().stays_busy, (*before, parent))):
        until = LONGEST

    def edit(before: Json, change: str) -> Json:
        after = edited(before, change)
        check_edited(after, before, settings, change)
        return after

    scenario = scenario_of(parent, changes, until, edit, traits().until)
    scenario.steps[:0] = [Step(apply=item) for item in before]
    return scenario


def _from_first_call(show: Callable[[Entry], None]) -> Callable[[Entry], None]:
    """Return *show*, which begins once the hook has responded: a hook that is down ends the command with an error."""
    waiting: list[Entry] | None = []

    def show_later(entry: Entry) -> None:
        nonlocal waiting
        if waiting is None:
            show(entry)
            return
        waiting.append(entry)
        if isinstance(entry, Call):
            ready, waiting = waiting, None
            for each in ready:
                show(each)

    return show_later


def _add_faults(world: World, stale: tuple[str, ...], share: str | None) -> None:
    if stale:
        delay(world, stale)
    if share is not None:
        lose(world, share)
