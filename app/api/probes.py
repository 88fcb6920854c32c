"""What the kubelet calls in a container: probes while it runs, and hooks after its start and before its stop."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.model import IntOrString, ListMap, Model, Omitted, Rule, exactly_one
from app.api.scalars import PORT_NAME, TEXT

PortRef = Annotated[
    int | str,
    IntOrString(
        "must be a port number from 1 to 65535 or the name of a port",
        minimum=1,
        maximum=65535,
        pattern=f"^{PORT_NAME}$",
        max_length=15,
    ),
]

Seconds = Annotated[int, Field(ge=1, le=3600)]


class HttpHeader(Model):
    """A header of the HTTP request."""

    name: Annotated[str, Field(pattern="^[-A-Za-z0-9]+$", max_length=128)]
    """Name of the header."""
    value: Annotated[str, Field(pattern=TEXT, max_length=1024)]
    """Value of the header."""


class HttpGet(Model):
    """An HTTP GET request; it succeeds with a status code from 200 to 399."""

    path: Annotated[str, Field(pattern=TEXT, max_length=1024), Omitted] | None = None
    """Path of the request; default /."""
    port: PortRef
    """Number or name of the port."""
    scheme: Literal["HTTP", "HTTPS"] | None = None
    """HTTP or HTTPS; default HTTP."""
    http_headers: Annotated[list[HttpHeader], Field(max_length=16), ListMap(("name",)), Omitted] | None = None
    """Headers of the request."""


class TcpSocket(Model):
    """A TCP connection; it succeeds if the port is open."""

    port: PortRef
    """Number or name of the port."""


class Exec(Model):
    """A command in the container; it succeeds if it exits with code 0."""

    command: Annotated[
        list[Annotated[str, Field(pattern=TEXT, max_length=4096)]],
        Field(min_length=1, max_length=64),
        Rule("the first item must not be empty", lambda command: command[0] != "", cel="self[0] != ''"),
    ]
    """Program and its arguments. It does not run in a shell."""


class Grpc(Model):
    """A gRPC health check."""

    port: Annotated[int, Field(ge=1, le=65535)]
    """Port number, 1 to 65535."""
    service: Annotated[str, Field(pattern=TEXT, max_length=253), Omitted] | None = None
    """Name of the gRPC service to check."""


class Probe(Model):
    """The fields that all probes share: exactly one kind of check, and its timing."""

    http_get: HttpGet | None = None
    """Check with an HTTP GET request."""
    tcp_socket: TcpSocket | None = None
    """Check by opening a TCP connection."""
    exec: Exec | None = None
    """Check by running a command in the container."""
    grpc: Grpc | None = None
    """Check with a gRPC health check."""
    initial_delay_seconds: Annotated[int, Field(ge=0, le=3600), Omitted] | None = None
    """Seconds between the start of the container and the first check; default 0."""
    period_seconds: Seconds | None = None
    """Seconds between checks; default 10."""
    timeout_seconds: Seconds | None = None
    """Seconds after which a check times out; default 1."""
    failure_threshold: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Consecutive failed checks after which the probe fails; default 3."""

    rules = (exactly_one("httpGet", "tcpSocket", "exec", "grpc"),)

    @property
    def named_port(self) -> str | None:
        """The name of the port that this probe checks; None if it has a number or none."""
        handler = self.http_get or self.tcp_socket
        return handler.port if handler and isinstance(handler.port, str) else None


class ReadinessProbe(Probe):
    """A probe that decides whether the Pod receives traffic."""

    success_threshold: Annotated[int, Field(ge=1, le=100)] | None = None
    """Consecutive successful checks after which the probe succeeds; default 1."""


class RestartProbe(Probe):
    """A probe whose failure restarts the container."""

    termination_grace_period_seconds: Seconds | None = None
    """Seconds that the container gets to stop after this probe fails; overrides the value of the Pod."""


DEFAULT_GRACE_PERIOD = 30
"""Seconds that a Pod gets to stop; the default of Kubernetes."""


class Sleep(Model):
    """A pause."""

    seconds: Annotated[int, Field(ge=1, le=3600)]
    """Seconds to wait."""


class Hook(Model):
    """What to do. Exactly one of its fields must be set."""

    exec: Exec | None = None
    """Run a command in the container."""
    http_get: HttpGet | None = None
    """Send an HTTP GET request to the container."""
    sleep: Sleep | None = None
    """Wait."""

    rules = (exactly_one("exec", "httpGet", "sleep"),)

    @property
    def named_port(self) -> str | None:
        """The name of the port that the request goes to; None if it has a number or there is no request."""
        return self.http_get.port if self.http_get and isinstance(self.http_get.port, str) else None


class Lifecycle(Model):
    """What the kubelet does after the container has started, and before it stops."""

    post_start: Hook | None = None
    """Done right after the container has started. If it fails, the container is restarted."""
    pre_stop: Hook | None = None
    """Done before the container gets SIGTERM; its time counts towards terminationGracePeriodSeconds."""
