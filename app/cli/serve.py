"""``myresource serve``: runs the app with uvicorn."""

import os
import signal
from collections.abc import Callable

import click

from app.cli.options import with_options
from app.service import create
from app.settings.serve import ServeSettings
from metahook.commands import InputError
from metahook.server import Address, CannotListen, run, set_up_logging


def _with_settings(serve: Callable[[ServeSettings], None]) -> Callable[..., None]:
    return with_options(ServeSettings, serve, lambda settings: {"settings": settings}, names_unknown=True)


@click.command("serve")
@_with_settings
def command(settings: ServeSettings) -> None:
    """Serve the hooks until SIGTERM or Ctrl-C."""
    # A KeyboardInterrupt can get lost in a callback. The server replaces this handler.
    signal.signal(signal.SIGINT, lambda number, _: os._exit(128 + number))
    set_up_logging(settings.log)
    around = None
    if settings.dev:
        from metahook.commands import logging_calls  # noqa: PLC0415 - it is off in a cluster

        around = logging_calls()
    try:
        app = create(settings, around)
    except ValueError as error:
        raise InputError(str(error)) from error
    hooks_at, health_at = Address(settings.host, settings.port), Address(settings.host, settings.health_port)
    try:
        if settings.dev:
            from app.cli.bound import binding  # noqa: PLC0415 - as above
            from metahook.commands import add_bound_page  # noqa: PLC0415 - as above

            add_bound_page(app, binding(), settings.watch)
            if settings.port:  # otherwise the first line of the log has it
                with hooks_at.listen(), health_at.listen():
                    pass  # an address that is taken is no address to open
                click.echo(f"Try it in a browser: http://127.0.0.1:{settings.port}", err=True)
        run(app, hooks_at, health_at)
    except CannotListen as error:
        option = "--health-port" if error.address == health_at else "--port"
        message = f"{error}; choose another with --host or {option}"
        raise InputError(message) from error
