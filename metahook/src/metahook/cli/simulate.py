"""``metahook simulate``: runs a hook in a simulated cluster, and shows every write and every status."""

import math
from collections.abc import Callable

import click

from metahook.cli.errors import InputError, input_errors
from metahook.cli.files.documents import FILE
from metahook.cli.objects import Objects, check_edited, created
from metahook.cli.options import Subject, with_files, with_output, with_subject
from metahook.cli.simulation.faults import delay, lose
from metahook.cli.simulation.run import pace_of, run
from metahook.cli.simulation.scenarios import (
    InOrder,
    Timed,
    edited,
    read_scenario_file,
    scenario_of,
    timed,
    with_timed_options,
)
from metahook.simulator.history import Call, Entry
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Json
from metahook.simulator.scenarios.scenario import Scenario, Step
from metahook.simulator.world import World


@click.command("simulate", cls=InOrder)
@with_files
@with_subject
@with_timed_options
@click.option(
    "--until",
    default="quiet",
    show_default=True,
    metavar="quiet|TIME",
    help="When to stop: when nothing is left to do, or after a time such as 60s.",
)
@click.option("--scenario", type=FILE, metavar="FILE", help="Run the steps in this file after the objects are created.")
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
    help="Simulated seconds for each real second; 0 is as fast as possible. Default is 5 on a terminal, 0 elsewhere.",
)
@click.option("--brief", is_flag=True, help="Leave out the lines of Kubernetes' own controllers.")
@with_output
@input_errors()
def command(  # noqa: PLR0913, PLR0917 - one argument an option
    files: tuple[str, ...],
    subject: Subject,
    until: str,
    scenario: str | None,
    stale: tuple[str, ...],
    lost: str | None,
    speed: float | None,
    output: str,
    *,
    brief: bool,
    **_: object,
) -> int:
    """Run a hook in a simulated cluster, and show every write and every status.

    Metacontroller, the API server, Kubernetes' own controllers and the time are simulated. What would harm a real
    cluster is a finding.

    \b
    Exit status:
      0  success
      1  the hook is harmful, or an expectation of the scenario was not met
      2  an error occurred
    """  # noqa: D301 - click keeps the line breaks after this control character
    from metahook.cli.simulation.screen import JsonLines, Lines, Screen, Terminal  # noqa: PLC0415 - rich takes time to import

    given = click.get_current_context().meta["timed"]
    if scenario and (given or until != "quiet"):
        message = "--set, --fail, --at and --until can't be used with --scenario: write them as steps of the scenario"
        raise click.UsageError(message)
    if speed is not None and not math.isfinite(speed):
        message = "--speed is not a number; write simulated seconds for each real second, such as 5"
        raise click.UsageError(message)
    scratch = subject.world(controllers=False)
    objects = Objects.read(files, scratch.settings)
    objects.create(scratch)  # what the API server refuses is an error with its line, before anything is shown
    world = subject.world()
    chosen = _with_objects(objects, read_scenario_file(scenario, scenario)) if scenario else None
    chosen = chosen or _of_options(objects, timed(given), until, world.settings)
    console = Terminal(highlight=False)
    kinds = [parent.kind.kind for parent in world.settings.parents]
    screen: Screen = JsonLines(console) if output == "json" else Lines(kinds, console, brief=brief)
    _add_faults(world, stale, lost)
    for gap in world.settings.gaps:
        screen.say(gap, "detail")
    world.history.listeners.append(_from_first_call(screen.entry))
    world.clock.pace = pace_of(speed, on_terminal=console.is_terminal)
    return 0 if run(chosen, world, screen, numbered=scenario is not None) else 1


def _with_objects(objects: Objects, scenario: Scenario) -> Scenario:
    """Return *scenario* after all *objects* are created."""
    steps = [Step(apply=created(item.content)) for item in (*objects.others, *objects.parents)]
    scenario.steps[:0] = steps
    return scenario


def _of_options(objects: Objects, changes: list[Timed], until: str, settings: Settings) -> Scenario:
    """Return the scenario that creates *objects*, and then makes the *changes* to the one parent."""
    *before, parent = (created(item.content) for item in (*objects.others, *objects.parents))
    if len(objects.parents) > 1 and any(change.option == "set" for change in changes):
        message = f"--set needs one parent; the files have {len(objects.parents)}"
        raise InputError(message)

    def edit(before: Json, change: str) -> Json:
        after = edited(before, change)
        check_edited(after, settings, change)
        return after

    scenario = scenario_of(parent, changes, until, edit)
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
