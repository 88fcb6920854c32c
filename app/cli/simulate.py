"""``myresource simulate``: runs a MyResource, or a scenario, in a simulated cluster."""

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from app.api.names import API_VERSION, KIND, PLURAL
from app.cli.options import with_watch
from app.cli.scenarios import from_file, from_options
from app.cli.wrapping import wrap
from app.core.controller import controller
from app.core.watch import Watch
from metahook import Kind
from metahook.cli.credentials import Credentials, with_credentials
from metahook.cli.errors import InputError, input_errors
from metahook.cli.files.documents import FILE
from metahook.cli.simulation.run import pace_of, run
from metahook.cli.simulation.scenarios import InOrder, timed, with_timed_options
from metahook.simulator.hook import Hook
from metahook.simulator.metacontroller.settings import MODES, SERVED, Mode, Settings
from metahook.simulator.scenarios.scenario import WatchedObjects
from metahook.simulator.world import World

if TYPE_CHECKING:
    from rich.console import Console

PICTURE = 120
"""Columns of a picture."""


@click.command("simulate", cls=InOrder)
@click.option(
    "-f", "--filename", "file", type=FILE, metavar="FILE", help="A MyResource, as YAML or JSON; - is standard input."
)
@with_timed_options
@click.option(
    "--until",
    default="quiet",
    show_default=True,
    metavar="ready|quiet|TIME",
    help="When to stop: when Ready, when nothing is left to do, or after a time such as 60s.",
)
@click.option(
    "--scenario", metavar="NAME", help="Run a scenario instead: the name of one in examples/scenarios, or a file."
)
@click.option(
    "--apply-strategy",
    "mode",
    type=click.Choice(MODES),
    help="Metacontroller's apply strategy. Default is dynamic-apply, as in Metacontroller.",
)
@click.option(
    "--speed",
    type=click.FloatRange(min=0),
    metavar="N",
    help="Simulated seconds for each real second; 0 is as fast as possible. Default is 5 on a terminal, 0 elsewhere.",
)
@click.option(
    "--hook", metavar="URL", help="Call the hook at this URL instead of the built-in one; it uses the real time."
)
@click.option(
    "--brief",
    is_flag=True,
    help="Leave out the lines of Kubernetes' own controllers, and conditions other than Ready.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object per line, with the summary last.")
@click.option("--svg", type=click.Path(path_type=Path, dir_okay=False), help="Also draw the output into this SVG file.")
@with_credentials
@with_watch
@input_errors()
def command(  # noqa: PLR0913, PLR0917 - one argument an option
    file: str | None,
    until: str,
    scenario: str | None,
    mode: Mode | None,
    speed: float | None,
    hook: str | None,
    brief: bool,  # noqa: FBT001 - click's flag
    as_json: bool,  # noqa: FBT001 - click's flag
    svg: Path | None,
    credentials: Credentials,
    watch: Watch,
    **_: object,
) -> int:
    """Run a MyResource in a simulated cluster, and show every write and every status.

    \b
    Exit status:
      0  success
      1  an expectation (of the scenario, or --until ready) was not met, or the hook is harmful
      2  an error occurred
    """  # noqa: D301 - click keeps the line breaks after this control character
    from metahook.cli.simulation.screen import JsonLines, Lines, Screen, Terminal  # noqa: PLC0415 - the image has no rich

    given = click.get_current_context().meta["timed"]
    _check(file, scenario, more=bool(given) or until != "quiet", speed=speed, svg=svg)
    console = Terminal(highlight=False, record=svg is not None, width=PICTURE if svg else None)
    screen: Screen = JsonLines(console) if as_json else Lines([KIND], console, brief=brief, wrap=wrap)
    chosen = from_file(scenario) if scenario else from_options(file or "", timed(given), until)
    called = _called(hook, credentials)
    world = _world(called, mode or chosen.mode or MODES[0], watch_of(chosen.watch) if chosen.watch else watch)
    world.history.listeners.append(screen.entry)
    world.clock.pace = pace_of(speed, on_terminal=console.is_terminal)
    is_ok = run(chosen, world, screen, numbered=scenario is not None)
    if svg:
        _draw(console, svg, chosen.title)
    return 0 if is_ok else 1


def _check(file: str | None, scenario: str | None, *, more: bool, speed: float | None, svg: Path | None) -> None:
    """Raise UsageError for options that exclude one another or are invalid; *more*: some that a scenario excludes."""
    message = None
    if (file is None) == (scenario is None):
        message = "specify either a MyResource with -f or a scenario with --scenario"
    elif scenario and more:
        message = "--set, --fail, --at and --until can't be used with --scenario: write them as steps of the scenario"
    elif speed is not None and not math.isfinite(speed):
        message = "--speed is not a number; write simulated seconds for each real second, such as 5"
    elif svg and not svg.parent.is_dir():
        message = f"--svg {svg}: no such directory; name a file in an existing directory"
    if message:
        raise click.UsageError(message)


def watch_of(watched: WatchedObjects) -> Watch:
    """Return the operator's settings for what a scenario watches."""
    kinds = (Kind(kind.api_version, kind.kind, kind.resource) for kind in watched.dependencies)
    return Watch(watched.pods, watched.secrets, tuple(kinds))


def settings(mode: Mode, watch: Watch) -> Settings:
    """Return the settings of a cluster that serves the kinds that *watch* names."""
    served = (*SERVED, *watch.dependencies)
    children = tuple(child.KIND for child in controller(watch).children)
    return Settings(Kind(API_VERSION, KIND, PLURAL), children, mode=mode, served=served)


def _called(hook: str | None, credentials: Credentials) -> Hook | None:
    """Return the hook at the URL *hook*, or None for the built-in one."""
    if hook is None:
        return None
    from metahook.cli.remote_hook import RemoteHook  # noqa: PLC0415 - the image has no httpx

    return click.get_current_context().with_resource(RemoteHook(hook, "--hook", credentials))


def _world(hook: Hook | None, mode: Mode, watch: Watch) -> World:
    """Return a world with *hook* in it, or with the built-in one."""
    return World(hook or controller(watch), settings(mode, watch), raise_errors=False)


def _draw(console: "Console", file: Path, title: str) -> None:
    """Write the output of *console* to *file* as an SVG that loads nothing from elsewhere; raise InputError."""
    picture = console.export_svg(title=title, clear=False)
    start, end = picture.index("@font-face"), picture.rindex("@font-face")
    end = picture.index("}", picture.index("}", end)) + 1
    try:
        file.write_text(picture[:start] + picture[end:].lstrip(), encoding="utf-8")
    except OSError as error:
        message = (
            f"--svg {file}: {(error.strerror or 'cannot be written').lower()}; name a file in an existing directory"
        )
        raise InputError(message) from error
