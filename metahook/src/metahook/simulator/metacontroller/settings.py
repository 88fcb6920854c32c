"""A CompositeController: the kinds of its parent and its children, and how Metacontroller treats them."""

from dataclasses import dataclass, field
from typing import Literal

from metahook.protocol import Kind
from metahook.simulator.objects import Json

Mode = Literal["dynamic-apply", "server-side-apply"]
MODES: tuple[Mode, Mode] = ("dynamic-apply", "server-side-apply")


SERVED = (
    Kind("v1", "ConfigMap", "configmaps"),
    Kind("v1", "Pod", "pods"),
    Kind("v1", "Secret", "secrets"),
    Kind("v1", "Service", "services"),
    Kind("apps/v1", "Deployment", "deployments"),
    Kind("apps/v1", "ReplicaSet", "replicasets"),
    Kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"),
    Kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets"),
)
"""The kinds that every cluster serves."""


@dataclass(frozen=True)
class Settings:
    """``resync_period`` is in seconds.

    ``label_selector`` and ``ignore_status_changes`` are those of parentResource; without a selector all parents match.
    """

    parent: Kind
    children: tuple[Kind, ...]
    mode: Mode = "dynamic-apply"
    resync_period: float = 600
    ignore_status_changes: bool = True
    label_selector: Json = field(default_factory=dict)
    has_customize: bool = True
    served: tuple[Kind, ...] = SERVED

    @property
    def kinds(self) -> frozenset[Kind]:
        """All kinds that the API server serves."""
        return frozenset((self.parent, *self.children, *self.served))
