"""Deployments as observed."""

from typing import Any, ClassVar

from metahook.kinds.defaults import DEFAULTS
from metahook.protocol.kind import Kind
from metahook.protocol.objects import Conditions, Defaults, Object


class DeploymentStatus(Conditions, frozen=True):
    """What the Deployment controller reports; an absent number counts as 0, except ``terminating_replicas``."""

    observed_generation: int | None = None
    replicas: int | None = None
    updated_replicas: int | None = None
    available_replicas: int | None = None
    terminating_replicas: int | None = None
    """Pods that are stopping, which the other numbers do not count; reported by Kubernetes 1.35 or later."""


class Deployment(Object, frozen=True):
    """An observed Deployment. ``spec`` is decoded as it is."""

    KIND: ClassVar[Kind] = Kind("apps/v1", "Deployment", "deployments")
    DEFAULTS: ClassVar[Defaults] = DEFAULTS

    spec: dict[str, Any] | None = None
    status: DeploymentStatus | None = None
