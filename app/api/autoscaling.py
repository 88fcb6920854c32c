"""How an autoscaler sets the number of Pods. The names and the meanings are those of a HorizontalPodAutoscaler."""

from typing import Annotated, Literal

from pydantic import Field

from app.api.values.model import Model, Omitted, Rule

Percentage = Annotated[int, Field(ge=1, le=10000)]


class ScalingPolicy(Model):
    """How much may change in a period."""

    type: Literal["Pods", "Percent"]
    """Whether value is a number of Pods, or a percentage of them."""
    value: Annotated[int, Field(ge=1, le=100000)]
    """The most that changes in a period."""
    period_seconds: Annotated[int, Field(ge=1, le=1800)]
    """Seconds of a period."""


class ScalingRules(Model):
    """How fast the number of Pods changes in one direction."""

    stabilization_window_seconds: Annotated[int, Field(ge=0, le=3600)] | None = None
    """Seconds in which the safest of the last recommendations counts; default 0 for scaleUp and 300 for scaleDown."""
    policies: Annotated[list[ScalingPolicy], Field(max_length=8), Omitted] | None = None
    """Limits of a change. Defaults are those of Kubernetes."""
    select_policy: Literal["Max", "Min", "Disabled"] | None = None
    """Max (default) takes the policy that allows most, Min the one that allows least. Disabled allows no change."""


class Behavior(Model):
    """How fast the number of Pods changes."""

    scale_up: Annotated[ScalingRules, Omitted] | None = None
    """Rules for more Pods."""
    scale_down: Annotated[ScalingRules, Omitted] | None = None
    """Rules for fewer Pods."""


class Autoscaling(Model):
    """The bounds of the number of Pods, and the use of resources for which it is chosen."""

    min_replicas: Annotated[int, Field(ge=1, le=1000)] = 1
    """Least number of Pods; default 1."""
    max_replicas: Annotated[int, Field(ge=1, le=1000)]
    """Greatest number of Pods."""
    target_cpu: Percentage | None = Field(default=None, alias="targetCPUUtilizationPercentage")
    """Average use of CPU by the application to aim for, in percent of its CPU request."""
    target_memory: Percentage | None = Field(default=None, alias="targetMemoryUtilizationPercentage")
    """Average use of memory by the application to aim for, in percent of its memory request."""
    behavior: Annotated[Behavior, Omitted] | None = None
    """How fast the number of Pods changes. Defaults are those of Kubernetes."""

    rules = (
        Rule(
            "minReplicas must not be greater than maxReplicas",
            lambda autoscaling: autoscaling.min_replicas <= autoscaling.max_replicas,
            cel="self.minReplicas <= self.maxReplicas",
        ),
        Rule(
            "targetCPUUtilizationPercentage, targetMemoryUtilizationPercentage or both must be set",
            lambda autoscaling: bool(autoscaling.target_cpu or autoscaling.target_memory),
            cel="has(self.targetCPUUtilizationPercentage) || has(self.targetMemoryUtilizationPercentage)",
        ),
    )
