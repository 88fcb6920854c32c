"""Pods as observed: only what tells why one is not ready. A request may hold a thousand of them."""

from typing import ClassVar

from app.hooks.objects import Condition, Object, Observed


class Waiting(Observed, frozen=True):
    """A container does not run yet, or not again; ``message`` is the kubelet's."""

    reason: str | None = None
    message: str | None = None


class Running(Observed, frozen=True):
    """A container runs, since a time."""

    started_at: str | None = None


class Terminated(Observed, frozen=True):
    """A container ended."""

    exit_code: int
    reason: str | None = None


class ContainerState(Observed, frozen=True):
    """One of the three; none of them means that nothing is known."""

    waiting: Waiting | None = None
    running: Running | None = None
    terminated: Terminated | None = None


NOTHING_KNOWN = ContainerState()


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
    """What scheduler and kubelet say of a Pod."""

    phase: str | None = None
    conditions: list[Condition] | None = None
    init_container_statuses: list[ContainerStatus] | None = None
    container_statuses: list[ContainerStatus] | None = None


class Container(Observed, frozen=True):
    """A container that a Pod is made of."""

    name: str
    image: str | None = None
    restart_policy: str | None = None
    """Of an init container; Always makes it a sidecar, which runs as long as the Pod does."""


class PodSpec(Observed, frozen=True):
    """What a Pod was made to be."""

    containers: list[Container] | None = None
    init_containers: list[Container] | None = None

    @property
    def sidecars(self) -> set[str]:
        """The names of the init containers that run as long as the Pod does."""
        return {each.name for each in self.init_containers or [] if each.restart_policy == "Always"}

    def image(self, container: str) -> str | None:
        """Return the image of a container, or None."""
        return next((each.image for each in self.containers or [] if each.name == container), None)


class Pod(Object, frozen=True):
    """An observed Pod."""

    API_VERSION: ClassVar[str] = "v1"
    RESOURCE: ClassVar[str] = "pods"

    spec: PodSpec | None = None
    status: PodStatus | None = None
