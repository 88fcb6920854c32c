"""Init containers: they run before the application, each to its end, or as sidecars beside it.

Their security settings are those of the application. Their ports need no field: all containers of a Pod share its
network, so spec.ports can name a port on which a sidecar listens.
"""

from typing import Annotated, Literal

from pydantic import Field

from app.api.pods.container import Container
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


def _names_no_port(container: "InitContainer") -> bool:
    calls = [*container.probes().values(), *container.hooks().values()]
    return all(call is None or call.named_port is None for call in calls)


class InitContainer(Container):
    """A container that starts before that of the application."""

    name: Annotated[
        LabelName, Rule(f"must not be {CONTAINER}", lambda name: name != CONTAINER, cel=f"self != '{CONTAINER}'")
    ]
    """Name of the container, for kubectl logs and messages."""
    restart_policy: Literal["Always"] | None = None
    """Always makes it a sidecar, which keeps running. Otherwise the next container starts once it has completed."""

    rules = (
        *Container.rules,
        Rule(
            "probes and lifecycle require restartPolicy Always",
            lambda container: (
                container.restart_policy == "Always" or not any([*container.probes().values(), container.lifecycle])
            ),
            cel="has(self.restartPolicy) || !("
            + " || ".join(f"has(self.{field})" for field in _PROBES)
            + " || has(self.lifecycle) && (has(self.lifecycle.postStart) || has(self.lifecycle.preStop)))",
        ),
        Rule(
            "ports must be numbers in probes and hooks of an init container",
            _names_no_port,
            cel=" && ".join(f"(!({_has_cel(call)}) || type(self.{call}.port) == int)" for call in _CALLS),
        ),
    )


InitContainers = Annotated[list[InitContainer], Field(max_length=8), ListMap(("name",)), Omitted]
