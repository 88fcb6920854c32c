"""The options that the commands share, and what they make of them."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import TypeVar

import click
from click.core import ParameterSource

from metahook.cli.binding import NamesController, NamesHook, binding, own
from metahook.cli.errors import InputError, program_name
from metahook.cli.files.documents import FILE
from metahook.cli.files.manifests import Manifests
from metahook.cli.files.objects import custom_validation, refuse_invalid
from metahook.cli.hooks.credentials import Credentials, with_credentials
from metahook.cli.hooks.named_hook import PATHS, LocalHook, read_hook
from metahook.protocol.controller import Controller
from metahook.simulator.hook import Hook
from metahook.simulator.metacontroller.settings import MODES, Mode, Settings
from metahook.simulator.scenarios import Scenario
from metahook.simulator.world import World

T = TypeVar("T")


@dataclass(frozen=True)
class HookUnderTest:
    """A hook, and the settings by which Metacontroller calls it, for an apply strategy."""

    hook: Hook
    mode: Mode
    settings_of: Callable[[Mode], Settings]

    @property
    def settings(self) -> Settings:
        return self.settings_of(self.mode)

    def world(self, *, controllers: bool = True) -> World:
        """Return a new cluster with the hook in it, without Kubernetes' own controllers unless *controllers*."""
        world = World(self.hook, self.settings, controllers=controllers)
        world.api.admission += [custom_validation(self.settings.crds), refuse_invalid(self.settings)]
        if isinstance(self.hook, LocalHook):
            self.hook.now = world.clock.time
        return world

    def of_scenario(self, scenario: Scenario) -> "HookUnderTest":
        """Return the subject of *scenario*, which may be about an apply strategy, and about what is watched."""
        is_given = click.get_current_context().get_parameter_source("mode") is ParameterSource.COMMANDLINE
        subject = self if is_given or scenario.mode is None else replace(self, mode=scenario.mode)
        if scenario.watch is None:
            return subject
        bound = binding()
        if bound is None or bound.own_of is None:
            message = "watch in the scenario: only the program of a controller reads it; remove it"
            raise InputError(message)
        try:
            watched = bound.own_of(scenario.watch)
        except ValueError as error:
            message = f"watch in the scenario: {error}"
            raise InputError(message) from error
        hook = built_in(bound.controller(watched)) if isinstance(self.hook, LocalHook) else self.hook
        return replace(subject, hook=hook, settings_of=lambda mode: bound.settings(mode, watched))


def with_subject(command: Callable[..., T]) -> Callable[..., T]:
    """Give *command* the argument ``subject``, and the options for it."""

    @wraps(command)
    def run(
        *,
        hook: str | None,
        mode: Mode,
        credentials: Credentials,
        manifests: tuple[str, ...] = (),
        controller: str | None = None,
        **given: object,
    ) -> T:
        return command(subject=_subject(hook, mode, credentials, manifests, controller), **given)

    return with_subject_options(run)


def _subject(
    hook: str | None, mode: Mode, credentials: Credentials, manifests: tuple[str, ...], controller: str | None
) -> HookUnderTest:
    """Return the hook of the program that runs, or the one that its options name."""
    bound = binding()
    if bound is None:
        read = Manifests.read(manifests, controller)
        paths = {name: read.path_of(name) for name in PATHS}
        return HookUnderTest(read_hook(hook or "", credentials, paths), mode, read.settings)
    watched = own()
    called = read_hook(hook, credentials, PATHS) if hook else built_in(bound.controller(watched))
    return HookUnderTest(called, mode, lambda mode: bound.settings(mode, watched))


def built_in(controller: Controller) -> LocalHook:
    """Return the *controller* of the program that runs as a hook."""
    return LocalHook(controller, program_name())


def with_subject_options(command: Callable[..., T], *, hook_required: bool = True) -> Callable[..., T]:
    """Give *command* the options for manifests and a hook, as its arguments."""
    with_options: Callable[..., T] = with_credentials(command)
    for add in reversed(_OPTIONS):
        with_options = add(with_options)
    return _with_manifests(with_hook(with_options, required=hook_required))


def with_hook(command: Callable[..., T], *, required: bool = True) -> Callable[..., T]:
    """Give *command* the argument ``hook``, and the option for it."""
    option = click.option(
        "--hook",
        cls=NamesHook,
        required=required,
        metavar="HOOK",
        help="The hook: a URL, or a Controller as FILE.py:NAME or MODULE:NAME.",
    )
    return option(command)


_with_manifests = click.option(
    "-k",
    "--manifests",
    cls=NamesController,
    type=FILE,
    multiple=True,
    required=True,
    metavar="PATH",
    help="File or directory with the controller and the CRDs. May be repeated.",
)

_OPTIONS = [
    click.option(
        "--controller",
        cls=NamesController,
        metavar="NAME",
        help="Name of the controller, if there are several.",
    ),
    click.option(
        "--apply-strategy",
        "mode",
        type=click.Choice(MODES),
        default=MODES[0],
        show_default=True,
        help="Metacontroller's apply strategy.",
    ),
]


def with_files(command: Callable[..., T], *, required: bool = True) -> Callable[..., T]:
    """Give *command* the argument ``files``, and the option for it."""
    option = click.option(
        "-f",
        "--filename",
        "files",
        type=FILE,
        multiple=True,
        required=required,
        metavar="FILE",
        help="File with parents, and with other objects in the cluster; - is standard input. May be repeated.",
    )
    return option(command)


def with_progress(items: Sequence[T], about: str) -> Iterable[T]:
    """Return *items*; on a terminal, what is done of them is shown until all are."""
    if not sys.stderr.isatty():
        return items
    from rich.console import Console  # noqa: PLC0415 - slow to import, and few need it
    from rich.progress import track  # noqa: PLC0415 - the same

    return track(items, about, console=Console(stderr=True), transient=True)


with_output = click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format.",
)
