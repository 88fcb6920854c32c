"""``myresource serve``: the service."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from app import __version__
from app.cli.options import with_settings
from app.core.controller import controller
from app.core.desired.memo import GenerationMemo
from app.settings.option import changed, option_of, variable_of
from app.settings.serve import ServeSettings
from metahook.commands import InputError
from metahook.server import Address, CannotListen, CannotLoad, Certificates, ServerOptions, Tokens, serve


@click.command("serve")
@with_settings
def command(settings: ServeSettings) -> None:
    """Serve the hooks until SIGTERM or Ctrl-C."""
    health_at = Address(settings.host, settings.health_port)
    options = _server_options(settings)
    try:
        serve(controller(settings.watch, GenerationMemo()), Address(settings.host, settings.port), health_at, options)
    except CannotListen as error:
        option = "--health-port" if error.address == health_at else "--port"
        message = f"{error}; choose another with --host or {option}"
        raise InputError(message) from error


def _server_options(settings: ServeSettings) -> ServerOptions:
    """Return the options of the server; raise InputError."""
    return ServerOptions(
        limits=settings.limits,
        log=settings.log,
        drain=settings.drain,
        stop_timeout=settings.stop_timeout,
        certificates=_certificates(settings),
        tokens=_tokens(settings),
        version=__version__,
        settings=changed(settings),
        dev=settings.dev,
    )


def _certificates(settings: ServeSettings) -> Certificates | None:
    """Return the certificates, or None if the hooks are served over plain HTTP; raise InputError."""
    cert, key, client_ca = settings.tls_cert, settings.tls_key, settings.tls_client_ca
    if settings.tls_client_names and not client_ca:
        message = f"{_both('tls_client_names')} needs {_both('tls_client_ca')}: set it too, or none of the two"
        raise InputError(message)
    if cert and key:
        with _file_errors():
            return Certificates(
                Path(cert),
                Path(key),
                Path(client_ca) if client_ca else None,
                client_names=settings.tls_client_names,
                min_version=settings.tls_min_version,
            )
    given = _given_for_tls(settings)
    if given is None:
        return None
    missing = "tls_key" if cert else "tls_cert"
    message = f"{_both(given)} needs {_both(missing)}: set it too, or serve plain HTTP with neither"
    raise InputError(message)


def _given_for_tls(settings: ServeSettings) -> str | None:
    """Return the name of a setting for TLS that has a value."""
    return next((name for name in ("tls_cert", "tls_key", "tls_client_ca") if getattr(settings, name)), None)


def _tokens(settings: ServeSettings) -> Tokens | None:
    """Return the tokens, or None if callers need none; raise InputError."""
    with _file_errors():
        return Tokens(Path(settings.tokens)) if settings.tokens else None


@contextmanager
def _file_errors() -> Iterator[None]:
    try:
        yield
    except CannotLoad as error:
        raise InputError(str(error)) from error


def _both(name: str) -> str:
    """Return both ways to set the setting *name*."""
    return f"{option_of(name, ServeSettings.model_fields[name]).flag} ({variable_of(name)})"
