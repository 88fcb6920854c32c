"""``myresource simulate``: runs a MyResource, or a scenario, in a simulated cluster."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import click

from app.api.names import API_VERSION, KIND, PLURAL
from app.cli.options import with_watch
from app.cli.scenarios import from_file, from_options, timed
from app.cli.wrapping import wrap
from app.core.controller import controller
from app.core.watch import Watch
from metahook import Kind
from metahook.cli.credentials import Credentials, with_credentials
from metahook.cli.errors import input_errors
from metahook.cli.files.documents import FILE
from metahook.cli.simulation.run import Screen, pace, run
from metahook.simulator.hook import Hook
from metahook.simulator.metacontroller.settings import MODES, SERVED, Mode, Settings
from metahook.simulator.scenario import FailureName, WatchedObjects
from metahook.simulator.world import World

LONGEST_WAIT = 1.0
"""Real seconds; the longest pause between two lines without --speed."""

PICTURE = 120
"""Columns of a picture."""

TERMINAL_SPEED = 5.0
"""Virtual seconds per second."""


class _InOrder(click.Command):
    """Keeps the order of the options: --at belongs to the --set or --fail before it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given, _, order = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta["timed"] = [(option.name, next(values)) for option, values in _each(given, order)]
        return super().parse_args(ctx, args)


def _each(given: Any, order: list[click.Parameter]) -> Any:  # noqa: ANN401 - as click's parser has it
    """Yield the timed options in the order of the command line, each with an iterator of its values."""
    values = {name: iter(given.get(name) or ()) for name in ("sets", "fails", "ats")}
    return ((option, values[option.name]) for option in order if option.name in values)


@click.command("simulate", cls=_InOrder)
@click.option(
    "-f", "--filename", "file", type=FILE, metavar="FILE", help="A MyResource, as YAML or JSON; - is standard input."
)
@click.option("--set", "sets", multiple=True, metavar="PATH=VALUE", help="Set a field of the spec. May be repeated.")
@click.option(
    "--fail",
    "fails",
    multiple=True,
    type=click.Choice(get_args(FailureName)),
    help="Make all containers fail in this way, or an autoscaler scale the Deployment (fight); none ends it. May be "
    "repeated.",
)
@click.option(
    "--at",
    "ats",
    multiple=True,
    metavar="TIME",
    help="When the preceding --set or --fail takes effect, such as 5s or 2m. Default is the start.",
)
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
    from metahook.cli.simulation.screen import JsonLines, Lines, Terminal, draw  # noqa: PLC0415 - the image has no rich

    given = click.get_current_context().meta["timed"]
    _check(file, scenario, more=bool(given) or until != "quiet", speed=speed, svg=svg)
    console = Terminal(highlight=False, record=svg is not None, width=PICTURE if svg else None)
    screen: Screen = JsonLines(console) if as_json else Lines(KIND, console, brief=brief, wrap=wrap)
    chosen = from_file(scenario) if scenario else from_options(file or "", timed(given), until)
    called = _called(hook, credentials)
    world = _world(called, mode or chosen.mode or MODES[0], watch_of(chosen.watch) if chosen.watch else watch)
    world.history.listeners.append(screen.entry)
    world.clock.pace = _pace(speed, on_terminal=console.is_terminal)
    is_ok = run(chosen, world, screen, numbered=scenario is not None)
    if svg:
        draw(console, svg, chosen.title)
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


def _pace(speed: float | None, *, on_terminal: bool) -> Callable[[float], None]:
    """Return the pace: that of --speed, or a quick one on a terminal, or none."""
    if speed is not None:
        return pace(speed, math.inf)
    return pace(TERMINAL_SPEED if on_terminal else 0, LONGEST_WAIT)


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
