"""A CompositeController: the kinds of its parent and its children, and how Metacontroller treats them."""

from collections.abc import Iterable
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
    Kind("apps/v1", "StatefulSet", "statefulsets"),
    Kind("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"),
    Kind("batch/v1", "Job", "jobs"),
    Kind("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets"),
)
"""The kinds that every cluster serves."""


CACHE_FLUSH = 1800.0
"""Seconds: Metacontroller's ``--cache-flush-interval``, the resync period of a CompositeController without one."""


class UnknownResource(LookupError):
    """Raised for a resource that the cluster does not serve. Its text names the resource."""


@dataclass(frozen=True)
class Settings:
    """``resync_period`` is in seconds.

    ``label_selector`` and ``ignore_status_changes`` are those of parentResource; without a selector all parents match.
    Children of the kinds ``on_delete`` have the update method OnDelete: they are created and deleted, and never
    updated. The others have InPlace.
    """

    parent: Kind
    children: tuple[Kind, ...]
    mode: Mode = "dynamic-apply"
    resync_period: float = 600
    ignore_status_changes: bool = True
    label_selector: Json = field(default_factory=dict)
    has_customize: bool = True
    served: tuple[Kind, ...] = SERVED
    on_delete: tuple[Kind, ...] = ()

    @classmethod
    def read(cls, composite: Json, crds: Iterable[Json] = (), mode: Mode = "dynamic-apply") -> "Settings":
        """Return the settings of the CompositeController *composite*, given *crds*; raise UnknownResource."""
        spec, served = composite["spec"], (*SERVED, *(kind for crd in crds for kind in _kinds(crd)))
        children = spec.get("childResources", [])
        return cls(
            _served(spec["parentResource"], served),
            tuple(_served(each, served) for each in children),
            mode=mode,
            resync_period=min(spec.get("resyncPeriodSeconds", CACHE_FLUSH), CACHE_FLUSH),
            ignore_status_changes=spec["parentResource"].get("ignoreStatusChanges", False),
            label_selector=spec["parentResource"].get("labelSelector", {}),
            has_customize="customize" in spec["hooks"],
            served=served,
            on_delete=tuple(_served(each, served) for each in children if _update_method(each) == "OnDelete"),
        )

    @property
    def kinds(self) -> frozenset[Kind]:
        """All kinds that the API server serves."""
        return frozenset((self.parent, *self.children, *self.served))


def _kinds(crd: Json) -> list[Kind]:
    """Return the kind of *crd* in each of its versions."""
    spec, names = crd["spec"], crd["spec"]["names"]
    versions = [f"{spec['group']}/{version['name']}" for version in spec["versions"]]
    return [Kind(version, names["kind"], names["plural"]) for version in versions]


def _update_method(resource: Json) -> str:
    """Return the update method of a child; a child without one has Metacontroller's default."""
    return (resource.get("updateStrategy") or {}).get("method") or "OnDelete"


def _served(resource: Json, served: Iterable[Kind]) -> Kind:
    """Return the kind of *resource*, an API version and a plural; raise UnknownResource."""
    api_version, plural = resource["apiVersion"], resource["resource"]
    for kind in served:
        if (kind.api_version, kind.plural) == (api_version, plural):
            return kind
    raise UnknownResource(f"no {plural} in {api_version}: pass their CRD, or use Settings(...)")
