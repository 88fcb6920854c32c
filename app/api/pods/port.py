"""Ports that a container listens on: those of the application, which its Service has, and those of a sidecar."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.values.model import ListMap, Model, Omitted, Rule
from app.api.values.scalar import PortName, matches


class SidecarPort(Model):
    """A port that a sidecar listens on."""

    name: PortName | None = None
    """Name that its probes and hooks can refer to."""
    container_port: Annotated[int, Field(ge=1, le=65535)]
    """Port number, 1 to 65535."""
    protocol: Literal["TCP", "UDP", "SCTP"] = "TCP"
    """Protocol; default TCP."""


class Port(SidecarPort):
    """A port that the application listens on."""

    name: (
        Annotated[
            PortName,
            Rule(
                "must not look like the name that an unnamed port gets in the Service, such as tcp-80",
                lambda name: not matches("(tcp|udp|sctp)-[0-9]+", name),
                cel="!self.matches('^(tcp|udp|sctp)-[0-9]+$')",
            ),
        ]
        | None
    ) = None
    """Name that probes can refer to; also the name of the port in the Service."""
    service_port: Annotated[int, Field(ge=1, le=65535)] | None = None
    """Port of the Service that leads to containerPort, 1 to 65535; default containerPort."""

    @property
    def in_service(self) -> int:
        """The port of the Service that leads to this one."""
        return self.service_port or self.container_port


def _unique(values: list[object]) -> bool:
    return len(set(values)) == len(values)


def _in_service(port: str) -> str:
    """Return what the CEL variable *port* is in the Service."""
    return f"(has({port}.servicePort) ? {port}.servicePort : {port}.containerPort)"


_KEYS = ListMap(("containerPort", "protocol"))
_NAMES = Rule(
    "port names must be unique",
    lambda ports: _unique([port.name for port in ports if port.name]),
    cel="self.all(a, !has(a.name) || self.exists_one(b, has(b.name) && a.name == b.name))",
)
_NUMBERS = Rule(
    "each containerPort must be unique, even across protocols: "
    "Metacontroller's dynamic-apply would merge the two ports",
    lambda ports: _unique([port.container_port for port in ports]),
    cel="self.all(a, self.exists_one(b, a.containerPort == b.containerPort))",
)

SidecarPorts = Annotated[list[SidecarPort], Field(max_length=32), _KEYS, _NAMES, _NUMBERS, Omitted]
Ports = Annotated[
    list[Port],
    Field(max_length=32),
    _KEYS,
    _NAMES,
    _NUMBERS,
    Rule(
        "each port of the Service (servicePort, or else containerPort) must be unique, even across protocols",
        lambda ports: _unique([port.in_service for port in ports]),
        cel=f"self.all(a, self.exists_one(b, {_in_service('a')} == {_in_service('b')}))",
    ),
    Omitted,
]
