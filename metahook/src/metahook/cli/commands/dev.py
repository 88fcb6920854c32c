"""``metahook dev``: serves a hook and its page on this machine, again after each change of a Python file."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
import uvicorn
from uvicorn.supervisors import ChangeReload

from metahook.cli.dev_log import logging_calls
from metahook.cli.errors import InputError, input_errors
from metahook.cli.files.documents import FILE
from metahook.cli.files.manifests import Manifests
from metahook.cli.hooks.credentials import NO_CREDENTIALS
from metahook.cli.hooks.named_hook import PATHS, LocalHook, open_hook, read_controller
from metahook.cli.hooks.subject import HookUnderTest
from metahook.cli.page.routes import add_page
from metahook.server import Address, CannotListen, ServerOptions, create_app, run
from metahook.simulator.metacontroller.settings import MODES

if TYPE_CHECKING:
    from metahook.simulator.hook import Hook

HOST = "127.0.0.1"


@dataclass(frozen=True)
class _Served:
    """What is served: a hook and its page."""

    hook: str
    port: int
    manifests: tuple[str, ...]
    files: tuple[str, ...]


@click.command("dev")
@click.argument("hook", metavar="HOOK")
@click.option(
    "-k",
    "--manifests",
    type=FILE,
    multiple=True,
    metavar="PATH",
    help="File or directory with the controller and the CRDs, for the page. May be repeated.",
)
@click.option(
    "-f",
    "--filename",
    "files",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="File with a parent, and what else it needs, that the page begins with. May be repeated.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="Port to listen on, on 127.0.0.1."
)
@click.option("--reload/--no-reload", default=True, show_default=True, help="Start again when a Python file changes.")
@input_errors()
def command(hook: str, manifests: tuple[str, ...], files: tuple[str, ...], port: int, *, reload: bool) -> None:
    """Serve a hook on this machine while you write it.

    HOOK is a Controller as FILE.py:NAME or MODULE:NAME. The log shows what each call changes in the response, and the
    tracebacks of exceptions. With --manifests, http://127.0.0.1:8080 is a page that shows the life of a parent in a
    simulated cluster; then HOOK may also be the URL of a hook in any language. http://127.0.0.1:8080/openapi.json
    describes what to POST. Do not use it in a cluster.
    """
    served = _Served(hook, port, manifests, files)
    if "://" in hook and not manifests:
        message = "HOOK: a hook at a URL is served already; name its --manifests to see it in a page"
        raise InputError(message)
    if not reload or "://" in hook:
        _serve(served)
        return
    read_controller(hook, "HOOK")
    with _errors_of_port(), Address(HOST, port).listen():
        pass  # nobody else does: a change of a file would not mend that
    source = hook.partition(":")[0]
    folder = Path(source).resolve().parent if source.endswith(".py") else Path.cwd()
    config = uvicorn.Config("", reload=True, reload_dirs=[str(folder)], log_config=None)
    ChangeReload(config, target=partial(_serve_or_report, served), sockets=[]).run()


def _serve_or_report(served: _Served, sockets: Sequence[object] = ()) -> None:  # noqa: ARG001 - uvicorn's
    """Serve the hook, or print why not; the next change of a file is another try."""
    try:
        _serve(served)
    except InputError as error:
        print(f"metahook: {error.message}", file=sys.stderr)


def _serve(served: _Served) -> None:
    options = ServerOptions(drain=0, around=logging_calls())
    hook: Hook
    if "://" in served.hook:
        app, hook = create_app({}, options), open_hook(served.hook, NO_CREDENTIALS, PATHS)
    else:
        controller = read_controller(served.hook, "HOOK")
        app, hook = create_app(controller, options), LocalHook(controller, served.hook)
    if served.manifests:
        read = Manifests.read(served.manifests, None)
        read.settings(MODES[0])  # which fails for what is not simulated
        add_page(app, HookUnderTest(hook, MODES[0], read.settings), served.files)
        if served.port:  # otherwise the first line of the log has it
            print(f"See the life of a parent at http://{HOST}:{served.port}", file=sys.stderr)
    with _errors_of_port():
        run(app, Address(HOST, served.port), Address(HOST, 0))


@contextmanager
def _errors_of_port() -> Iterator[None]:
    try:
        yield
    except CannotListen as error:
        message = f"{error}; choose another with --port"
        raise InputError(message) from error
