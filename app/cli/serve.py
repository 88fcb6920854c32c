"""``myresource serve``: the service."""

import logging

import click

from app.cli.errors import InputError
from app.core.controller import MYRESOURCE
from app.web.server import Address, CannotListen, serve

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
def command(host: str, port: int, health_port: int) -> None:
    """Serve the hooks until SIGTERM or Ctrl-C."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    health_at = Address(host, health_port)
    try:
        serve(MYRESOURCE, Address(host, port), health_at)
    except CannotListen as error:
        option = "--health-port" if error.address == health_at else "--port"
        message = f"{error}; choose another with --host or {option}"
        raise InputError(message) from error
