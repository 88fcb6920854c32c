"""``myresource serve``: the service; and its app, for other servers."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from fastapi import FastAPI

from app import __version__
from app.cli.errors import InputError
from app.cli.options import with_settings
from app.core.child_metadata import CHILDREN, CONFIG_HASH_ANNOTATIONS
from app.core.controller import controller
from app.core.desired.config_hash import published_hashes
from app.core.diagnosis.causes import READ_MESSAGES
from app.core.watch import Watch
from app.settings.option import InvalidSetting, changed, option_of, read, variable_of
from app.settings.serve import ServeSettings
from metahook import Body, Memo, SyncRequest
from metahook.protocol.wire import MIB
from metahook.server.address import Address, CannotListen
from metahook.server.app import ServerOptions, create_app
from metahook.server.folder import CannotRecord
from metahook.server.logs import set_up_logging
from metahook.server.recording import Recorder
from metahook.server.redaction import Redaction
from metahook.server.server import serve
from metahook.server.tls import Certificates
from metahook.server.tokens import Tokens
from metahook.server.watched_files import CannotLoad


@click.command("serve")
@with_settings
def command(settings: ServeSettings) -> None:
    """Serve the hooks until SIGTERM or Ctrl-C."""
    health_at = Address(settings.host, settings.health_port)
    options = _server_options(settings)
    try:
        serve(controller(settings.watch, Memo()), Address(settings.host, settings.port), health_at, options)
    except CannotListen as error:
        option = "--health-port" if error.address == health_at else "--port"
        message = f"{error}; choose another with --host or {option}"
        raise InputError(message) from error


def app_from_environment() -> FastAPI:
    """Return the app with the settings of the MYRESOURCE_* variables; raise click.ClickException."""
    try:
        settings = read(ServeSettings)
    except InvalidSetting as error:
        message = f"Invalid value for {variable_of(error.name)}: {error}"
        raise InputError(message) from error
    if given := _given_for_tls(settings):
        message = f"{variable_of(given)} is for myresource serve; use this server's own options for TLS"
        raise InputError(message)
    set_up_logging(settings.log)  # other servers set up only their own
    return create_app(controller(settings.watch, Memo()), _server_options(settings))


def _server_options(settings: ServeSettings) -> ServerOptions:
    """Return the options of the server; raise InputError."""
    return ServerOptions(
        limits=settings.limits,
        log=settings.log,
        drain=settings.drain,
        stop_timeout=settings.stop_timeout,
        certificates=_certificates(settings),
        tokens=_tokens(settings),
        recorder=_recorder(settings),
        version=__version__,
        settings=changed(settings),
        dev=settings.dev,
    )


def _certificates(settings: ServeSettings) -> Certificates | None:
    """Return the certificates, or None if the hooks are served over plain HTTP; raise InputError."""
    cert, key, client_ca = settings.tls_cert, settings.tls_key, settings.tls_client_ca
    if cert and key:
        with _file_errors():
            return Certificates(Path(cert), Path(key), Path(client_ca) if client_ca else None)
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


def _recorder(settings: ServeSettings) -> Recorder | None:
    """Return the recorder, or None if no directory is set; raise InputError."""
    if settings.record is None:
        if settings.record_values:
            message = f"{_both('record_values')} needs {_both('record')}: set it too, or neither"
            raise InputError(message)
        return None
    try:
        redaction = redaction_of(settings.watch, keeps_values=settings.record_values)
        return Recorder(Path(settings.record), settings.record_limit * MIB, __version__, redaction)
    except CannotRecord as error:
        message = f"{error}; name another directory with --record or {variable_of('record')}, or set neither"
        raise InputError(message) from error


def redaction_of(watch: Watch, *, keeps_values: bool) -> Redaction:
    """Return what is redacted in recordings of an operator that watches *watch*."""

    def hashes(body: Body) -> dict[str, str]:
        return published_hashes(SyncRequest.decode(body, CHILDREN), watch)

    return Redaction(keeps_values, frozenset(CONFIG_HASH_ANNOTATIONS.values()), READ_MESSAGES, hashes)
