"""``myresource simulate``: shows how a MyResource lives, and fails, in a cluster that is simulated."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import click

from app.api.names import API_VERSION, KIND, PLURAL
from app.cli.errors import comparison_errors
from app.cli.files.documents import FILE
from app.cli.options import with_watch
from app.cli.remote_hook import RemoteHook
from app.cli.simulation.screen import JsonLines, Lines, Screen, Terminal, draw
from app.cli.simulation.show import pace, show
from app.cli.simulation.story import from_file, from_options, timed
from app.core.controller import controller
from app.core.watch import Watch
from metahook import Kind
from metahook.simulator.metacontroller.settings import MODES, SERVED, Mode, Settings
from metahook.simulator.scenario import Failure, Follow
from metahook.simulator.world import World

LONGEST_WAIT = 1.0
"""Seconds, real ones, that are waited at most between two things that happen, if --speed does not say how fast."""

PICTURE = 100
"""Columns of a picture."""

TERMINAL_SPEED = 5.0


class _InOrder(click.Command):
    """Remembers in which order options were given: --at belongs to the --set or --fail before it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given, _, order = self.make_parser(ctx).parse_args(args=list(args))
        ctx.meta["timed"] = [(option.name, next(values)) for option, values in _each(given, order)]
        return super().parse_args(ctx, args)


def _each(given: Any, order: list[click.Parameter]) -> Any:  # noqa: ANN401 - as click's parser has it
    """Yield the timed options in the order in which they were given, each with an iterator of its values."""
    values = {name: iter(given.get(name) or ()) for name in ("sets", "fails", "ats")}
    return ((option, values[option.name]) for option in order if option.name in values)


@click.command("simulate", cls=_InOrder)
@click.option(
    "-f", "--filename", "file", type=FILE, metavar="FILE", help="A MyResource, as YAML or JSON; - is standard input."
)
@click.option(
    "--set", "sets", multiple=True, metavar="PATH=VALUE", help="Change a field of the spec. Once for each change."
)
@click.option(
    "--fail",
    "fails",
    multiple=True,
    type=click.Choice(get_args(Failure)),
    help="Let all containers fail in this way; none ends it.",
)
@click.option(
    "--at", "ats", multiple=True, metavar="TIME", help="When the --set or --fail before it happens, such as 5s or 2m."
)
@click.option(
    "--until",
    default="quiet",
    show_default=True,
    metavar="ready|quiet|TIME",
    help="When to stop: once Ready, once nothing more happens, or after a time such as 60s.",
)
@click.option("--scenario", metavar="NAME", help="Play a scenario instead: one of examples/scenarios, or a file.")
@click.option(
    "--apply-strategy",
    "mode",
    type=click.Choice(MODES),
    help="How Metacontroller applies. Default is dynamic-apply, as its own.",
)
@click.option(
    "--speed",
    type=click.FloatRange(min=0),
    metavar="N",
    help="Virtual seconds in a second; 0 waits for nothing. Default is 5 on a terminal, 0 elsewhere.",
)
@click.option(
    "--hook", metavar="URL", help="Call a hook that is served there instead of this one; it has its own clock."
)
@click.option("--brief", is_flag=True, help="Leave out what Kubernetes' own controllers do.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object a line, the summary last.")
@click.option("--svg", type=click.Path(path_type=Path, dir_okay=False), help="Draw what is shown into this file, too.")
@with_watch
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
    watch: Watch,
    **_: object,
) -> int:
    """Show how a MyResource lives in a simulated cluster: who writes what, and what its status says.

    The exit code is 0 if all went as expected, 1 if it did not become Ready with --until ready, if the scenario went
    otherwise than it says, or if the hook did damage, and 2 if the input is wrong.
    """
    given = click.get_current_context().meta["timed"]
    _check(file, scenario, more=bool(given) or until != "quiet", speed=speed, svg=svg)
    console = Terminal(highlight=False, record=svg is not None, width=PICTURE if svg else None)
    screen: Screen = JsonLines(console) if as_json else Lines(KIND, console, brief=brief)
    with comparison_errors():
        told = from_file(scenario) if scenario else from_options(file or "", timed(given), until)
        world = _world(hook, mode or told.mode or MODES[0], watch_of(told.follow) if told.follow else watch)
        world.history.listeners.append(screen.entry)
        world.clock.pace = _pace(speed, on_terminal=console.is_terminal)
        right = show(told, world, screen, numbered=scenario is not None)
        if svg:
            draw(console, svg, told.title)
    return 0 if right else 1


def _check(file: str | None, scenario: str | None, *, more: bool, speed: float | None, svg: Path | None) -> None:
    """Raise UsageError for options that don't go together or can't be; *more* is what a scenario says itself."""
    message = None
    if (file is None) == (scenario is None):
        message = "name either a MyResource with -f or a scenario with --scenario"
    elif scenario and more:
        message = "a scenario says itself what happens: leave out --set, --fail, --at and --until"
    elif speed is not None and not math.isfinite(speed):
        message = "--speed is not a number; write how many virtual seconds pass in one"
    elif svg and not svg.parent.is_dir():
        message = f"--svg {svg}: no such folder; name a file in a folder that is there"
    if message:
        raise click.UsageError(message)


def _pace(speed: float | None, *, on_terminal: bool) -> Callable[[float], None]:
    """Return how time passes: as --speed says, or quickly on a terminal, or at once."""
    if speed is not None:
        return pace(speed, math.inf)
    return pace(TERMINAL_SPEED if on_terminal else 0, LONGEST_WAIT)


def watch_of(follow: Follow) -> Watch:
    """Return what a scenario watches."""
    kinds = (Kind(kind.api_version, kind.kind, kind.resource) for kind in follow.dependencies)
    return Watch(follow.pods, follow.secrets, tuple(kinds))


def settings(mode: Mode, watch: Watch) -> Settings:
    """Return the settings of a cluster that serves what *watch* names."""
    served = (*SERVED, *watch.dependencies)
    children = tuple(each.KIND for each in controller(watch).children)
    return Settings(Kind(API_VERSION, KIND, PLURAL), children, mode=mode, served=served)


def _world(hook: str | None, mode: Mode, watch: Watch) -> World:
    """Return a world with this hook in it, or with the one at the URL *hook*."""
    called = click.get_current_context().with_resource(RemoteHook(hook, "--hook")) if hook else controller(watch)
    return World(called, settings(mode, watch))
