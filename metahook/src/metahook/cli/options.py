"""The options that the commands share, and what they make of them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TypeVar

import click

from metahook.cli.credentials import Credentials, with_credentials
from metahook.cli.files.documents import FILE
from metahook.cli.hooks import PATHS, LocalHook, read_hook
from metahook.cli.manifests import Manifests
from metahook.simulator.hook import Hook
from metahook.simulator.metacontroller.settings import MODES, Mode
from metahook.simulator.world import World

T = TypeVar("T")


@dataclass(frozen=True)
class Subject:
    """A hook, and the manifests by which Metacontroller calls it."""

    manifests: Manifests
    hook: Hook
    mode: Mode

    def world(self, *, controllers: bool = True) -> World:
        """Return a new cluster with the hook in it, without Kubernetes' own controllers unless *controllers*."""
        world = World(self.hook, self.manifests.settings(self.mode), controllers=controllers)
        if isinstance(self.hook, LocalHook):
            self.hook.now = world.clock.time
        return world


def with_subject(command: Callable[..., T]) -> Callable[..., T]:
    """Give *command* the argument ``subject``, and the options for it."""

    @wraps(command)
    def run(
        *,
        manifests: tuple[str, ...],
        controller: str | None,
        hook: str,
        mode: Mode,
        credentials: Credentials,
        **given: object,
    ) -> T:
        read = Manifests.read(manifests, controller)
        paths = {name: read.path_of(name) for name in PATHS}
        return command(subject=Subject(read, read_hook(hook, credentials, paths), mode), **given)

    return with_subject_options(run)


def with_subject_options(command: Callable[..., T]) -> Callable[..., T]:
    """Give *command* the options for manifests and a hook, as its arguments."""
    with_options: Callable[..., T] = with_credentials(command)
    for add in reversed(_OPTIONS):
        with_options = add(with_options)
    return with_options


with_hook = click.option(
    "--hook",
    required=True,
    metavar="HOOK",
    help="The hook: a URL, or a Controller as FILE.py:NAME or MODULE:NAME.",
)

_OPTIONS = [
    click.option(
        "-k",
        "--manifests",
        type=FILE,
        multiple=True,
        required=True,
        metavar="PATH",
        help="File or directory with the controller and the CRDs. May be repeated.",
    ),
    with_hook,
    click.option("--controller", metavar="NAME", help="Name of the controller, if there are several."),
    click.option(
        "--apply-strategy",
        "mode",
        type=click.Choice(MODES),
        default=MODES[0],
        show_default=True,
        help="Metacontroller's apply strategy.",
    ),
]

with_files = click.option(
    "-f",
    "--filename",
    "files",
    type=FILE,
    multiple=True,
    required=True,
    metavar="FILE",
    help="File with parents, and with other objects in the cluster; - is standard input. May be repeated.",
)

with_output = click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Output format.",
)
