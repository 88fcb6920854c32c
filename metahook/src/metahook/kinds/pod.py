"""Pods as observed: only what tells why one is not ready. A request may hold a thousand of them.

So the spec of a Pod stays undecoded: Pods of one ReplicaSet are made from one template, and one spec stands for all.
"""

from typing import Any, ClassVar

import msgspec

from metahook.protocol.kind import Kind
from metahook.protocol.objects import Condition, Object, Observed, try_read


class Waiting(Observed, frozen=True):
    """A container does not run yet, or not again; ``message`` is the kubelet's."""

    reason: str | None = None
    message: str | None = None


class Running(Observed, frozen=True):
    """A container runs, since a time."""

    started_at: str | None = None


class Terminated(Observed, frozen=True):
    """A container ended. One that could not be started has 1970 as its start."""

    exit_code: int
    reason: str | None = None
    started_at: str | None = None
    finished_at: str | None = None


class ContainerState(Observed, frozen=True):
    """One of the three; none of them means that nothing is known."""

    waiting: Waiting | None = None
    running: Running | None = None
    terminated: Terminated | None = None


NOTHING_KNOWN = ContainerState()

_NULL = msgspec.Raw(b"null")


class ContainerStatus(Observed, frozen=True):
    """What the kubelet says of a container; ``started`` is whether its startup probe, if it has one, succeeded."""

    name: str
    ready: bool | None = None
    started: bool | None = None
    restart_count: int | None = None
    state: ContainerState | None = None
    last_state: ContainerState | None = None

    @property
    def now(self) -> ContainerState:
        """How the container is."""
        return self.state or NOTHING_KNOWN

    @property
    def before(self) -> ContainerState:
        """How it was before it was started again."""
        return self.last_state or NOTHING_KNOWN


class PodStatus(Observed, frozen=True):
    """What scheduler and kubelet say of a Pod; ``reason`` and ``message`` tell why it failed as a whole."""

    phase: str | None = None
    reason: str | None = None
    message: str | None = None
    conditions: list[Condition] | None = None
    init_container_statuses: list[ContainerStatus] | None = None
    container_statuses: list[ContainerStatus] | None = None

    def condition(self, name: str) -> Condition | None:
        """Return the condition whose type is *name*, or None."""
        return next((condition for condition in self.conditions or [] if condition.type == name), None)


class Pod(Object, frozen=True):
    """An observed Pod."""

    KIND: ClassVar[Kind] = Kind("v1", "Pod", "pods")

    spec: msgspec.Raw = _NULL
    status: PodStatus | None = None

    def decoded_spec(self) -> dict[str, Any]:
        """Return the spec as it is in JSON; an empty one if it can't be read."""
        return try_read(self.spec, dict[str, Any]) or {}
