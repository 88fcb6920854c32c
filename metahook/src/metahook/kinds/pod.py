"""Pods as observed: only the fields that show why a Pod is not ready. A request may hold a thousand Pods.

So the spec of a Pod is not decoded: Pods of one ReplicaSet come from one template, and one spec is enough for all.
"""

from typing import Any, ClassVar

import msgspec

from metahook.protocol.bodies.reading import try_read
from metahook.protocol.objects.kind import Kind
from metahook.protocol.objects.object import Conditions, Object, Observed


class Waiting(Observed, frozen=True):
    """A container is waiting to start; ``message`` is the kubelet's."""

    reason: str | None = None
    message: str | None = None


class Running(Observed, frozen=True):
    """A container is running."""

    started_at: str | None = None


class Terminated(Observed, frozen=True):
    """A container has terminated. One that could not be started has 1970 as its start."""

    exit_code: int
    reason: str | None = None
    started_at: str | None = None
    finished_at: str | None = None


class ContainerState(Observed, frozen=True):
    """One of the three is set; none means that the state is unknown."""

    waiting: Waiting | None = None
    running: Running | None = None
    terminated: Terminated | None = None


NOTHING_KNOWN = ContainerState()

_NULL = msgspec.Raw(b"null")


class ContainerStatus(Observed, frozen=True):
    """What the kubelet reports of a container; ``started`` tells whether its startup probe, if any, succeeded."""

    name: str
    ready: bool | None = None
    started: bool | None = None
    restart_count: int | None = None
    state: ContainerState | None = None
    last_state: ContainerState | None = None

    @property
    def now(self) -> ContainerState:
        """The current state."""
        return self.state or NOTHING_KNOWN

    @property
    def before(self) -> ContainerState:
        """The state before the last restart."""
        return self.last_state or NOTHING_KNOWN


class PodStatus(Conditions, frozen=True):
    """What scheduler and kubelet report of a Pod; ``reason`` and ``message`` tell why the Pod as a whole failed."""

    phase: str | None = None
    reason: str | None = None
    message: str | None = None
    init_container_statuses: list[ContainerStatus] | None = None
    container_statuses: list[ContainerStatus] | None = None


class Pod(Object, frozen=True):
    """An observed Pod."""

    KIND: ClassVar[Kind] = Kind("v1", "Pod", "pods")

    spec: msgspec.Raw = _NULL
    status: PodStatus | None = None

    def decoded_spec(self) -> dict[str, Any]:
        """Return the spec, decoded; an empty one if it can't be read."""
        return try_read(self.spec, dict[str, Any]) or {}
