"""``metahook dev``: serves a hook on this machine while you write it, and starts again when a file changes."""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click
import uvicorn
from uvicorn.supervisors import ChangeReload

from metahook.cli.dev_log import logging_calls
from metahook.cli.errors import InputError, input_errors
from metahook.cli.hooks.named_hook import read_controller
from metahook.server import Address, CannotListen, ServerOptions, serve

HOST = "127.0.0.1"


@click.command("dev")
@click.argument("hook", metavar="HOOK")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="Port to listen on, on 127.0.0.1."
)
@click.option("--reload/--no-reload", default=True, show_default=True, help="Start again when a Python file changes.")
@input_errors()
def command(hook: str, port: int, *, reload: bool) -> None:
    """Serve a hook on this machine while you write it.

    HOOK is a Controller as FILE.py:NAME or MODULE:NAME. The log shows what each call changes in the response, and the
    tracebacks of exceptions. http://127.0.0.1:8080/openapi.json describes what to POST. Do not use it in a cluster.
    """
    if "://" in hook:
        message = "HOOK: a hook at a URL is served already; write FILE.py:NAME or MODULE:NAME"
        raise InputError(message)
    if not reload:
        _serve(hook, port)
        return
    read_controller(hook, "HOOK")
    source = hook.partition(":")[0]
    folder = Path(source).resolve().parent if source.endswith(".py") else Path.cwd()
    config = uvicorn.Config("", reload=True, reload_dirs=[str(folder)], log_config=None)
    ChangeReload(config, target=partial(_serve_or_report, hook, port), sockets=[]).run()


def _serve_or_report(hook: str, port: int, sockets: Sequence[object] = ()) -> None:  # noqa: ARG001 - uvicorn's
    """Serve *hook*, or print why not; the next change of a file is another try."""
    try:
        _serve(hook, port)
    except InputError as error:
        print(f"metahook: {error.message}", file=sys.stderr)


def _serve(hook: str, port: int) -> None:
    options = ServerOptions(drain=0, around=logging_calls())
    try:
        serve(read_controller(hook, "HOOK"), Address(HOST, port), Address(HOST, 0), options)
    except CannotListen as error:
        message = f"{error}; choose another with --port"
        raise InputError(message) from error
