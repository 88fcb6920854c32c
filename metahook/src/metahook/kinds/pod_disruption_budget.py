"""PodDisruptionBudgets as observed."""

from typing import Any, ClassVar

from metahook.protocol.objects.kind import Kind
from metahook.protocol.objects.object import Object


class PodDisruptionBudget(Object, frozen=True):
    """An observed PodDisruptionBudget. ``spec`` is decoded as it is."""

    KIND: ClassVar[Kind] = Kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets")

    spec: dict[str, Any] | None = None
