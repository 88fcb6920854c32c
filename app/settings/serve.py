"""All settings: those of ``myresource serve``."""

from dataclasses import fields
from pathlib import Path
from typing import Annotated

from pydantic import Field, PlainValidator

from app import __version__
from app.settings.option import Option, Settings, changed, option_of, variable_of
from app.settings.watch import WatchSettings
from metahook.server import DEFAULT_LIMITS as DEFAULT
from metahook.server import (
    DEFAULT_LOG,
    MIB,
    CannotLoad,
    Certificates,
    Format,
    Level,
    Limits,
    LogOptions,
    ServerOptions,
    Tokens,
)

File = Annotated[str | None, Field(min_length=1), Option("FILE")]


def _words(given: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return the words in the variable, or in the repeated option; commas or spaces separate them."""
    texts = (given,) if isinstance(given, str) else given
    return tuple(dict.fromkeys(" ".join(texts).replace(",", " ").split()))


class CallerSettings(Settings):
    """Who may call. The files are read again when they change."""

    tls_cert: File = None
    """File with the certificate and its chain, in PEM format, to serve the hooks over TLS."""
    tls_key: File = None
    """File with the key of the certificate, in PEM format and not encrypted."""
    tls_client_ca: File = None
    """File with CA certificates, in PEM format. Only clients with a certificate of one of them can connect."""
    tls_client_names: Annotated[tuple[str, ...], PlainValidator(_words), Option("NAME", "--tls-client-name")] = ()
    """Name that the certificate of each client needs: one of its alternative names or, if it has none, its common name.
    Repeat the option, or separate names with commas."""
    tokens: Annotated[str | None, Field(min_length=1), Option("PATH")] = None
    """File with a token, or directory of such files. Requests need the header Authorization: Bearer TOKEN with one of
    them."""


Seconds = Annotated[int, Field(ge=1, le=600), Option("SECONDS")]


class LimitSettings(Settings):
    """What requests may take: each limit of the server that can be set, by its name there."""

    max_body: Annotated[int, Field(ge=1, le=256), Option("MIB")] = DEFAULT.max_body // MIB
    """Maximum size of a request, in MiB. Memory use grows with it: see docs/clusters/scale.md."""
    max_connections: Annotated[int, Field(ge=10, le=100000)] = DEFAULT.max_connections
    """Maximum number of connections."""
    max_in_flight: Annotated[int, Field(ge=1, le=100000)] = DEFAULT.max_in_flight
    """Maximum number of hook calls that are received and not yet answered. Others get 429 and are sent again later."""
    body_timeout: Seconds = int(DEFAULT.body_timeout)
    """Time to receive the body of a request, in seconds."""
    decide_timeout: Seconds = int(DEFAULT.decide_timeout)
    """Time to compute the response to a request over 256 KiB, in seconds."""

    @property
    def limits(self) -> Limits:
        """Return the limits of the server."""
        values = {field.name: getattr(self, field.name) for field in fields(Limits)}
        return Limits(**{**values, "max_body": self.max_body * MIB})


class LogSettings(Settings):
    """What is logged, and how. docs/reference/logs.md describes the lines."""

    log_format: Annotated[Format, Option("FORMAT")] = DEFAULT_LOG.format
    """Format of the log: json; console, for people; or auto, which is console on a terminal and otherwise json."""
    log_level: Annotated[Level, Option("LEVEL")] = DEFAULT_LOG.level
    """What is logged: debug (every call of a hook), info (those that change a reason, fail or are slow), warning (only
    refusals and problems) or error."""

    @property
    def log(self) -> LogOptions:
        """Return what is logged, and how."""
        return LogOptions(self.log_format, self.log_level)


class ServeSettings(LogSettings, CallerSettings, LimitSettings, WatchSettings):
    """All settings. The help lists these fields first, then those of the bases in their order."""

    host: Annotated[str, Field(min_length=1), Option("ADDRESS")] = "127.0.0.1"
    """Address to listen on."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    """Port of /sync, /customize and /openapi.json."""
    health_port: Annotated[int, Field(ge=0, le=65535)] = 8081
    """Port of /livez, /readyz and /metrics."""
    drain: Annotated[int, Field(ge=0, le=60), Option("SECONDS")] = 5
    """Time for which requests are still served after SIGTERM, while the Pod is removed from the Service, in seconds."""
    stop_timeout: Annotated[int, Field(ge=1, le=300), Option("SECONDS")] = 12
    """Time after drain for requests in progress, in seconds."""
    dev: bool = False
    """Log what each call changes in the response. Not for clusters: the log shows the status of MyResources."""

    def server_options(self) -> ServerOptions:
        """Return the options of the server; raise ValueError."""
        try:
            certificates, tokens = self._certificates(), Tokens(Path(self.tokens)) if self.tokens else None
        except CannotLoad as error:
            message = f"Invalid value for {_both(self._name_of(error.path))}: {error}"
            raise ValueError(message) from error
        return ServerOptions(
            limits=self.limits,
            log=self.log,
            drain=self.drain,
            stop_timeout=self.stop_timeout,
            certificates=certificates,
            tokens=tokens,
            version=__version__,
            settings=changed(self),
        )

    def _name_of(self, path: Path) -> str:
        """Return the name of the setting of the file at *path*, which may be in the directory of the tokens."""
        files = {Path(getattr(self, name) or ""): name for name in ("tls_client_ca", "tls_key", "tls_cert")}
        return files.get(path, "tokens")

    def _certificates(self) -> Certificates | None:
        """Return the certificates, or None if the hooks are served over plain HTTP; raise ValueError."""
        if self.tls_client_names and not self.tls_client_ca:
            message = f"{_both('tls_client_names')} needs {_both('tls_client_ca')}: set it too, or none of the two"
            raise ValueError(message)
        if self.tls_cert and self.tls_key:
            return Certificates(
                Path(self.tls_cert),
                Path(self.tls_key),
                Path(self.tls_client_ca) if self.tls_client_ca else None,
                client_names=self.tls_client_names,
            )
        for name in ("tls_cert", "tls_key", "tls_client_ca"):
            if getattr(self, name):
                missing = _both("tls_key" if self.tls_cert else "tls_cert")
                message = f"{_both(name)} needs {missing}: set it too, or serve plain HTTP with neither"
                raise ValueError(message)
        return None


def _both(name: str) -> str:
    """Return both ways to set the setting *name*."""
    return f"{option_of(name, ServeSettings.model_fields[name]).flag} ({variable_of(name)})"
