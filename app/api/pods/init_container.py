"""Init containers: they run before the application, each to its end, or as sidecars beside it.

The user and the security profile are those of the application. All containers of a Pod share its network, so
spec.ports, from which the Service follows, can name a port on which a sidecar listens.
"""

from typing import Annotated, Literal

from pydantic import Field

from app.api.pods.container import Container
from app.api.pods.port import SidecarPorts
from app.api.values.model import ListMap, Omitted, Rule
from app.api.values.names import CONTAINER
from app.api.values.scalar import LabelName

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_CALLS = (
    *(f"{probe}.{check}" for probe in _PROBES for check in ("httpGet", "tcpSocket")),
    *(f"lifecycle.{hook}.httpGet" for hook in ("postStart", "preStop")),
)
"""What may name a port."""


def _has_cel(path: str) -> str:
    """Return the condition in CEL that *path* and all that it is in are set."""
    steps = path.split(".")
    return " && ".join(f"has(self.{'.'.join(steps[: count + 1])})" for count in range(len(steps)))


def _has_ports(container: "InitContainer") -> bool:
    calls = [*container.probes().values(), *container.hooks().values()]
    names = {None, *(port.name for port in container.ports or [])}
    return all(call is None or call.named_port in names for call in calls)


def _has_port_cel(call: str) -> str:
    port = f"self.{call}.port"
    return (
        f"(!({_has_cel(call)}) || type({port}) == int "
        f"|| has(self.ports) && self.ports.exists(p, has(p.name) && p.name == {port}))"
    )


class InitContainer(Container):
    """A container that starts before that of the application."""

    name: Annotated[
        LabelName, Rule(f"must not be {CONTAINER}", lambda name: name != CONTAINER, cel=f"self != '{CONTAINER}'")
    ]
    """Name of the container, for kubectl logs and messages."""
    restart_policy: Literal["Always"] | None = None
    """Always makes it a sidecar, which keeps running. Otherwise the next container starts once it has completed."""

    ports: SidecarPorts | None = None
    """Ports that a sidecar listens on. For the Service, list them in spec.ports instead."""

    rules = (
        *Container.rules,
        Rule(
            "probes, lifecycle and ports require restartPolicy Always",
            lambda container: (
                container.restart_policy == "Always"
                or not any([*container.probes().values(), container.lifecycle, container.ports])
            ),
            cel="has(self.restartPolicy) || !("
            + " || ".join(f"has(self.{field})" for field in _PROBES)
            + " || has(self.lifecycle) && (has(self.lifecycle.postStart) || has(self.lifecycle.preStop))"
            + " || has(self.ports) && self.ports.size() > 0)",
        ),
        Rule(
            "the port name in a probe or hook of an init container must be the name of one of its ports",
            _has_ports,
            cel=" && ".join(map(_has_port_cel, _CALLS)),
        ),
    )


InitContainers = Annotated[list[InitContainer], Field(max_length=8), ListMap(("name",)), Omitted]
