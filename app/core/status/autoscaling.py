"""What a HorizontalPodAutoscaler reports about itself. Source: Kubernetes, horizontal.go, ``setCondition``."""

from dataclasses import replace

from app.core.facts import Facts
from app.core.status.conditions import (
    AUTOSCALER_NOT_YET_OBSERVED,
    AUTOSCALING,
    METRICS_UNAVAILABLE,
    NOT_AUTOSCALING,
    SCALING_FAILED,
    TWO_AUTOSCALERS,
    ParentCondition,
)
from metahook import Conditions, HorizontalPodAutoscaler


def autoscaling_condition(facts: Facts) -> ParentCondition:
    """Return whether the autoscaler can choose the number of Pods, as it reports."""
    reported = _reported(facts.children.get(HorizontalPodAutoscaler, facts.parent.name))
    return replace(reported, message=reported.message.format(name=facts.parent.name, namespace=facts.parent.namespace))


def _reported(autoscaler: HorizontalPodAutoscaler | None) -> ParentCondition:
    status = (autoscaler and autoscaler.status) or Conditions()
    able, active = status.condition("AbleToScale"), status.condition("ScalingActive")
    if able and able.status == "False":
        return SCALING_FAILED
    if active is None:
        return AUTOSCALER_NOT_YET_OBSERVED
    if active.status == "True":
        return AUTOSCALING
    reason = active.reason or ""
    if reason == "AmbiguousSelector":
        return TWO_AUTOSCALERS
    return METRICS_UNAVAILABLE if reason.startswith("FailedGet") else NOT_AUTOSCALING
