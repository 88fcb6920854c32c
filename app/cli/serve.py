"""``myresource serve``: the service; and its app, for other servers."""

import logging
from pathlib import Path

import click
from fastapi import FastAPI

from app import __version__
from app.cli.errors import InputError
from app.cli.policy import with_policy
from app.core.controller import controller
from app.core.watch import Watch
from metahook.server.app import create_app
from metahook.server.body import MAX_BODY, MIB
from metahook.server.recording import CannotRecord, Recorder
from metahook.server.server import Address, CannotListen, serve

_PORT = click.IntRange(0, 65535)


@click.command("serve")
@click.option(
    "--host",
    default="127.0.0.1",
    envvar="MYRESOURCE_HOST",
    show_default=True,
    show_envvar=True,
    help="Address to listen on.",
)
@click.option(
    "--port",
    default=8080,
    type=_PORT,
    envvar="MYRESOURCE_PORT",
    show_default=True,
    show_envvar=True,
    help="Port of /sync and /customize.",
)
@click.option(
    "--health-port",
    default=8081,
    type=_PORT,
    envvar="MYRESOURCE_HEALTH_PORT",
    show_default=True,
    show_envvar=True,
    help="Port of /livez and /readyz.",
)
@click.option(
    "--max-body",
    default=MAX_BODY // MIB,
    type=click.IntRange(1, 256),
    metavar="MIB",
    envvar="MYRESOURCE_MAX_BODY",
    show_default=True,
    show_envvar=True,
    help="Refuse longer requests. The memory that is needed grows with it: see docs/operate.md.",
)
@click.option(
    "--record",
    default=None,
    metavar="DIR",
    envvar="MYRESOURCE_RECORD",
    show_envvar=True,
    help="Keep requests and answers there, for: myresource replay. They hold what users wrote; keep them private.",
)
@click.option(
    "--record-limit",
    default=100,
    type=click.IntRange(1),
    metavar="MIB",
    envvar="MYRESOURCE_RECORD_LIMIT",
    show_default=True,
    show_envvar=True,
    help="Stop recording when DIR holds as much.",
)
@with_policy
def command(  # noqa: PLR0913, PLR0917 - one argument an option
    host: str, port: int, health_port: int, max_body: int, record: str | None, record_limit: int, watch: Watch
) -> None:
    """Serve the hooks until SIGTERM or Ctrl-C."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    health_at = Address(host, health_port)
    recorder = _recorder(record, record_limit)
    try:
        serve(
            controller(watch),
            Address(host, port),
            health_at,
            max_body=max_body * MIB,
            max_body_name="--max-body",
            recorder=recorder,
            version=__version__,
        )
    except CannotListen as error:
        option = "--health-port" if error.address == health_at else "--port"
        message = f"{error}; choose another with --host or {option}"
        raise InputError(message) from error


def app_of_the_environment() -> FastAPI:
    """Return the app with the settings that the MYRESOURCE_* variables have; raise click.ClickException."""
    with command.make_context("serve", []) as context:
        return _app(**context.params)


@with_policy
def _app(*, max_body: int, record: str | None, record_limit: int, watch: Watch, **_: object) -> FastAPI:
    return create_app(
        controller(watch),
        max_body=max_body * MIB,
        max_body_name="MYRESOURCE_MAX_BODY",
        recorder=_recorder(record, record_limit),
        version=__version__,
    )


def _recorder(record: str | None, limit: int) -> Recorder | None:
    """Return what records in the folder *record*, up to *limit* MiB, or None if nothing shall."""
    if record is None:
        return None
    if not record:
        message = "--record names no folder; name one, or leave it out"
        raise click.UsageError(message)
    try:
        return Recorder(Path(record), limit * MIB, __version__)
    except CannotRecord as error:
        message = f"{error}; name a folder that can be written with --record, or leave it out"
        raise InputError(message) from error
