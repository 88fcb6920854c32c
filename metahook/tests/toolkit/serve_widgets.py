"""Serves Widgets, as ``serve`` of a hook does, in a process of its own with options such as ``--port=8080``."""

from argparse import ArgumentParser, Namespace
from dataclasses import fields
from pathlib import Path

from metahook.cli.dev_log import logging_calls
from metahook.protocol.bodies import MIB
from metahook.server import (
    DEFAULT_LIMITS,
    Address,
    Certificates,
    Limits,
    LogOptions,
    ServerOptions,
    Tokens,
    callers,
    serve,
)
from metahook.server.options import LIMIT_NAMES
from toolkit.widgets import WIDGETS

SHOWN = ("port", "health_port", "drain")
"""The options in the first line of the log."""


def parsed() -> Namespace:
    """Return the options; those of a limit have its name, and ``--max-body`` is in MiB."""
    parser = ArgumentParser()
    for name in ("port", "health-port"):
        parser.add_argument(f"--{name}", type=int, required=True)
    for name in ("tls-cert", "tls-key", "tls-client-ca", "tokens"):
        parser.add_argument(f"--{name}", type=Path)
    for name in LIMIT_NAMES:
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(getattr(DEFAULT_LIMITS, name)))
    parser.add_argument("--drain", type=float, default=0)
    parser.add_argument("--stop-timeout", type=float, default=ServerOptions.stop_timeout)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--log-level", default="info")
    parser.add_argument("--log-format", default="json")
    parser.add_argument("--dev", action="store_true")
    return parser.parse_args()


def limits_of(given: Namespace) -> Limits:
    """Return the limits, of which those that are constants differ in this process alone."""
    limits = {name: value for name in LIMIT_NAMES if (value := getattr(given, name)) is not None}
    if "max_body" in limits:
        limits["max_body"] *= MIB
    settable = {field.name: limits.pop(field.name) for field in fields(Limits) if field.name in limits}
    for name, value in limits.items():
        setattr(Limits, name, value)
    return Limits(**settable)


def options_of(given: Namespace) -> ServerOptions:
    """Return the options of the server."""
    return ServerOptions(
        limits=limits_of(given),
        log=LogOptions(given.log_format, given.log_level),
        drain=given.drain,
        stop_timeout=given.stop_timeout,
        certificates=Certificates(given.tls_cert, given.tls_key, given.tls_client_ca) if given.tls_cert else None,
        tokens=Tokens(given.tokens) if given.tokens else None,
        settings={name: str(value) for name, value in vars(given).items() if name in SHOWN},
        around=logging_calls() if given.dev else None,
    )


def main() -> None:
    """Serve until a signal; look often at files of certificates and tokens."""
    given = parsed()
    callers.POLL = 0.05
    serve(WIDGETS, Address(given.host, given.port), Address(given.host, given.health_port), options_of(given))
