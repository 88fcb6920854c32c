"""The options that the commands share, and what they make of them."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

import click

from metahook.cli.binding import NamesController, NamesHook, binding, own
from metahook.cli.files.documents import FILE
from metahook.cli.files.manifests import Manifests
from metahook.cli.hooks.credentials import Credentials, with_credentials
from metahook.cli.hooks.named_hook import PATHS, read_hook
from metahook.cli.hooks.subject import HookUnderTest, built_in
from metahook.simulator.metacontroller.settings import MODES, Mode

T = TypeVar("T")


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


with_output = click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format.",
)
