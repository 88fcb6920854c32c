"""``myresource serve``: the service; and its app, for other servers."""

import logging
from pathlib import Path

import click
from fastapi import FastAPI

from app import __version__
from app.cli.errors import InputError
from app.cli.options import with_settings
from app.core.controller import controller
from app.settings import InvalidSetting, Settings, read, variable_of
from metahook.server.app import create_app
from metahook.server.body import MIB
from metahook.server.recording import CannotRecord, Recorder
from metahook.server.server import Address, CannotListen, serve


@click.command("serve")
@with_settings
def command(settings: Settings) -> None:
    """Serve the hooks until SIGTERM or Ctrl-C."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    health_at = Address(settings.host, settings.health_port)
    recorder = _recorder(settings)
    try:
        serve(
            controller(settings.watch),
            Address(settings.host, settings.port),
            health_at,
            max_body=settings.max_body * MIB,
            max_body_name="--max-body",
            recorder=recorder,
            version=__version__,
        )
    except CannotListen as error:
        option = "--health-port" if error.address == health_at else "--port"
        message = f"{error}; choose another with --host or {option}"
        raise InputError(message) from error


def app_from_environment() -> FastAPI:
    """Return the app with the settings of the MYRESOURCE_* variables; raise click.ClickException."""
    try:
        settings = read(Settings)
    except InvalidSetting as error:
        message = f"Invalid value for {variable_of(error.name)}: {error}"
        raise InputError(message) from error
    return create_app(
        controller(settings.watch),
        max_body=settings.max_body * MIB,
        max_body_name=variable_of("max_body"),
        recorder=_recorder(settings),
        version=__version__,
    )


def _recorder(settings: Settings) -> Recorder | None:
    """Return the recorder, or None if no folder is set; raise InputError."""
    if settings.record is None:
        return None
    try:
        return Recorder(Path(settings.record), settings.record_limit * MIB, __version__)
    except CannotRecord as error:
        message = f"{error}; name a folder that can be written with --record or {variable_of('record')}, or set neither"
        raise InputError(message) from error
