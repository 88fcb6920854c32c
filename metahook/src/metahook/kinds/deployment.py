"""Deployments as observed."""

from typing import Any, ClassVar

from metahook.kinds.defaults import DEFAULTS
from metahook.protocol.objects.kind import Kind
from metahook.protocol.objects.object import Conditions, Defaults, Int64, Object


class DeploymentStatus(Conditions, frozen=True):
    """What the Deployment controller reports; an absent number counts as 0, except ``terminating_replicas``."""

    observed_generation: Int64 | None = None
    replicas: Int64 | None = None
    updated_replicas: Int64 | None = None
    ready_replicas: Int64 | None = None
    available_replicas: Int64 | None = None
    terminating_replicas: Int64 | None = None
    """Pods that are stopping, which the other numbers do not count; reported by Kubernetes 1.35 or later."""


class Deployment(Object, frozen=True):
    """An observed Deployment. ``spec`` is decoded as it is."""

    KIND: ClassVar[Kind] = Kind("apps/v1", "Deployment", "deployments")
    DEFAULTS: ClassVar[Defaults] = DEFAULTS

    spec: dict[str, Any] | None = None
    status: DeploymentStatus | None = None


def rolled_out(deployment: Deployment | None) -> bool:
    """Tell whether all Pods of *deployment* run what its spec says, and are available; False if there is none.

    Source: kubectl, ``rollout status``. A paused Deployment is not rolled out before it goes on.
    """
    if deployment is None or deployment.status is None:
        return False
    status, spec = deployment.status, deployment.spec or {}
    desired, updated = spec.get("replicas", 1), status.updated_replicas or 0
    if (status.observed_generation or 0) < (deployment.metadata.generation or 0):
        return False
    return updated >= desired and (status.replicas or 0) <= updated <= (status.available_replicas or 0)
