"""Deployments as observed."""

from typing import Any, ClassVar

from metahook.kinds.defaults import DEFAULTS
from metahook.protocol.kind import Kind
from metahook.protocol.objects import Condition, Defaults, Object, Observed


class DeploymentStatus(Observed, frozen=True):
    """What the Deployment controller reports; an absent number counts as 0."""

    observed_generation: int | None = None
    replicas: int | None = None
    updated_replicas: int | None = None
    available_replicas: int | None = None
    conditions: list[Condition] | None = None

    def condition(self, name: str) -> Condition | None:
        """Return the condition whose type is *name*, or None."""
        return next((condition for condition in self.conditions or [] if condition.type == name), None)


class Deployment(Object, frozen=True):
    """An observed Deployment. ``spec`` is decoded as it is."""

    KIND: ClassVar[Kind] = Kind("apps/v1", "Deployment", "deployments")
    DEFAULTS: ClassVar[Defaults] = DEFAULTS

    spec: dict[str, Any] | None = None
    status: DeploymentStatus | None = None
