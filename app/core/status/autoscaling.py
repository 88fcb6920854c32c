"""What is observed of autoscaling: what the autoscaler reports, and whether it has just changed the number of Pods.

While an autoscaler scales, Pods start or stop, but none is replaced. So a MyResource that is Ready stays so, as long as
minReplicas Pods are available. Pods that have not started within progressDeadlineSeconds are missing, as any others.
"""

from dataclasses import dataclass
from datetime import datetime

from app.core.rollout import Rollout
from app.core.status.conditions import (
    AUTOSCALER_NOT_YET_OBSERVED,
    AUTOSCALING,
    METRICS_UNAVAILABLE,
    NOT_AUTOSCALING,
    SCALING_FAILED,
    TWO_AUTOSCALERS,
    ParentCondition,
)
from app.core.timers import after
from metahook import Condition, Conditions, HorizontalPodAutoscaler

_NONE = Condition(type="", status="")

_RECORD = 15
"""Seconds within which Metacontroller records the new number on the Deployment, which is a later change of it."""


@dataclass(frozen=True)
class Autoscaling:
    """What is observed of an ``autoscaler`` that keeps at least ``least`` Pods; None if it is not there yet."""

    autoscaler: HorizontalPodAutoscaler | None
    least: int
    scaled_at: datetime | None = None
    """When the Deployment was last scaled."""
    changed_at: datetime | None = None
    """When anything but its status last changed."""

    def scaling_ends(self, rollout: Rollout) -> datetime | None:
        """Return until when *rollout* is incomplete only because the Deployment was scaled; None if it is not."""
        if not rollout.is_incomplete and not rollout.is_not_yet_observed:
            return None
        is_scaled_alone = rollout.is_complete and rollout.existing == rollout.updated
        if not is_scaled_alone or rollout.available < self.least or self.scaled_at is None:
            return None
        recorded_at = after(self.scaled_at, _RECORD)
        is_last = self.changed_at is not None and recorded_at is not None and self.changed_at <= recorded_at
        # The status is not about what changed since: it may be the template.
        return after(self.scaled_at, rollout.deadline) if is_last or not rollout.is_not_yet_observed else None

    def condition(self) -> ParentCondition:
        """Return what the autoscaler reports about itself. Source: Kubernetes, horizontal.go, ``setCondition``."""
        status = (self.autoscaler and self.autoscaler.status) or Conditions()
        active = status.condition("ScalingActive")
        if (status.condition("AbleToScale") or _NONE).status == "False":
            return SCALING_FAILED
        if active is None:
            return AUTOSCALER_NOT_YET_OBSERVED
        if active.status == "True":
            return AUTOSCALING
        reason = active.reason or ""
        if reason == "AmbiguousSelector":
            return TWO_AUTOSCALERS
        return METRICS_UNAVAILABLE if reason.startswith("FailedGet") else NOT_AUTOSCALING
