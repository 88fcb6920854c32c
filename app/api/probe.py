"""Probes: how the kubelet finds out whether the container lives, has started, and can take traffic."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.model import IntOrString, ListMap, Model, Omitted, Rule
from app.api.scalar import PORT_NAME, TEXT

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
    """A header of the probe's request."""

    name: Annotated[str, Field(pattern="^[-A-Za-z0-9]+$", max_length=128)]
    """Name of the header."""
    value: Annotated[str, Field(pattern=TEXT, max_length=1024)]
    """Its value."""


class HttpGet(Model):
    """An HTTP request that succeeds with a status from 200 to 399."""

    path: Annotated[str, Field(pattern=TEXT, max_length=1024), Omitted] | None = None
    """Path that is asked for; Kubernetes takes / when it is absent."""
    port: PortRef
    """Number or name of the port."""
    scheme: Literal["HTTP", "HTTPS"] | None = None
    """HTTP or HTTPS; Kubernetes takes HTTP when it is absent."""
    http_headers: Annotated[list[HttpHeader], Field(max_length=16), ListMap(("name",)), Omitted] | None = None
    """Headers of the request."""


class TcpSocket(Model):
    """A TCP connection that can be opened."""

    port: PortRef
    """Number or name of the port."""


class Exec(Model):
    """A command that ends with 0."""

    command: Annotated[
        list[Annotated[str, Field(pattern=TEXT, max_length=4096)]],
        Field(min_length=1, max_length=64),
        Rule("must begin with a program", lambda command: command[0] != "", cel="self[0] != ''"),
    ]
    """The program and its arguments; no shell is involved."""


class Grpc(Model):
    """A call of the gRPC health protocol."""

    port: Annotated[int, Field(ge=1, le=65535)]
    """Number of the port."""
    service: Annotated[str, Field(pattern=TEXT, max_length=253), Omitted] | None = None
    """The service that is asked about."""


class Probe(Model):
    """What the three probes share: one way of asking, and when."""

    http_get: HttpGet | None = None
    """Ask by HTTP."""
    tcp_socket: TcpSocket | None = None
    """Ask by opening a connection."""
    exec: Exec | None = None
    """Ask by running a command in the container."""
    grpc: Grpc | None = None
    """Ask by gRPC."""
    initial_delay_seconds: Annotated[int, Field(ge=0, le=3600), Omitted] | None = None
    """Seconds to wait before the first probe."""
    period_seconds: Seconds | None = None
    """Seconds between probes; Kubernetes takes 10 when it is absent."""
    timeout_seconds: Seconds | None = None
    """Seconds until an answer counts as failed; Kubernetes takes 1 when it is absent."""
    failure_threshold: Annotated[int, Field(ge=1, le=1000)] | None = None
    """Failures in a row that count; Kubernetes takes 3 when it is absent."""

    rules = (
        Rule(
            "exactly one of httpGet, tcpSocket, exec and grpc",
            lambda probe: [probe.http_get, probe.tcp_socket, probe.exec, probe.grpc].count(None) == 3,
            cel="[has(self.httpGet), has(self.tcpSocket), has(self.exec), has(self.grpc)].exists_one(x, x)",
        ),
    )

    @property
    def named_port(self) -> str | None:
        """The name of the port that this probe asks, if it has one."""
        handler = self.http_get or self.tcp_socket
        return handler.port if handler and isinstance(handler.port, str) else None


class ReadinessProbe(Probe):
    """A probe that decides whether the container gets traffic."""

    success_threshold: Annotated[int, Field(ge=1, le=100)] | None = None
    """Successes in a row that count; Kubernetes takes 1 when it is absent."""


class RestartProbe(Probe):
    """A probe whose failure restarts the container."""

    termination_grace_period_seconds: Seconds | None = None
    """Seconds the container gets to stop after this probe failed, instead of those of the Pod."""
