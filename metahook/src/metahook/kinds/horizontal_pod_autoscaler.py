"""HorizontalPodAutoscalers as observed."""

from typing import Any, ClassVar

from metahook.kinds.defaults import DEFAULTS
from metahook.protocol.objects.kind import Kind
from metahook.protocol.objects.object import Conditions, Defaults, Object


class HorizontalPodAutoscalerStatus(Conditions, frozen=True):
    """What the controller of HorizontalPodAutoscalers reports."""

    desired_replicas: int | None = None
    """The number of Pods that it chose last."""
    last_scale_time: str | None = None
    """When it last changed the number."""


class HorizontalPodAutoscaler(Object, frozen=True):
    """An observed HorizontalPodAutoscaler. ``spec`` is decoded as it is."""

    KIND: ClassVar[Kind] = Kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers")
    DEFAULTS: ClassVar[Defaults] = DEFAULTS

    spec: dict[str, Any] | None = None
    status: HorizontalPodAutoscalerStatus | None = None
