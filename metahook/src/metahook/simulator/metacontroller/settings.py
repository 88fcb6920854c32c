"""A CompositeController: the kinds of its parent and its children, and how Metacontroller treats them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from metahook.protocol.kind import Kind
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


_HOOKS = ("sync", "customize")
_METHODS = ("InPlace", "OnDelete")
_VERSION = "v2"
_ELSEWHERE = "use a real control plane"


class UnknownResource(LookupError):
    """Raised for a resource that the cluster does not serve. Its text names the resource."""


class NotSimulated(ValueError):
    """Raised for a setting of a CompositeController that the simulator does not know. Its text names the remedy."""


@dataclass(frozen=True)
class Settings:
    """The kinds and options of a simulated CompositeController. ``resync_period`` is in seconds.

    ``label_selector`` and ``ignore_status_changes`` are those of parentResource; without a selector all parents match.
    Children of the kinds ``on_delete`` have the update method OnDelete: they are created and deleted, and never
    updated. The others have InPlace.
    """

    parent: Kind
    children: tuple[Kind, ...]
    mode: Mode = "dynamic-apply"
    resync_period: float = 600
    ignore_status_changes: bool = True
    label_selector: Json = field(default_factory=dict, hash=False)
    has_customize: bool = True
    served: tuple[Kind, ...] = SERVED
    on_delete: tuple[Kind, ...] = ()
    crds: tuple[Json, ...] = field(default=(), hash=False)
    """The CRDs whose defaults the API server adds; the other rules of their schemas are not simulated."""

    @classmethod
    def read(cls, composite: Json, crds: Iterable[Json] = (), mode: Mode = "dynamic-apply") -> "Settings":
        """Return the settings of the CompositeController *composite*, given *crds*.

        Of the schemas of *crds*, only the defaults are simulated. Raise UnknownResource, and NotSimulated for a setting
        with which a real control plane behaves in another way.
        """
        spec, crds = composite["spec"], tuple(crds)
        served = (*SERVED, *(kind for crd in crds for kind in _kinds(crd)))
        children = spec.get("childResources") or []
        _check(spec)
        return cls(
            _served(spec["parentResource"], served),
            tuple(_served(child, served) for child in children),
            mode=mode,
            resync_period=min(spec.get("resyncPeriodSeconds") or CACHE_FLUSH, CACHE_FLUSH),
            ignore_status_changes=bool(spec["parentResource"].get("ignoreStatusChanges")),
            label_selector=spec["parentResource"].get("labelSelector") or {},
            has_customize=bool(spec["hooks"].get("customize")),
            served=served,
            on_delete=tuple(_served(child, served) for child in children if _update_method(child) == "OnDelete"),
            crds=crds,
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


def _check(spec: Json) -> None:
    """Raise NotSimulated if the *spec* of a CompositeController has a setting that the simulator does not know."""
    if spec.get("generateSelector") is not True:
        raise NotSimulated(f"spec.generateSelector is not simulated unless it is true: set it to true, or {_ELSEWHERE}")
    for index, child in enumerate(spec.get("childResources") or []):
        if _update_method(child) not in _METHODS:
            path = f"spec.childResources[{index}].updateStrategy.method"
            raise NotSimulated(f"{path} is not simulated: set it to {' or '.join(_METHODS)}, or {_ELSEWHERE}")
    for name, hook in spec["hooks"].items():
        if hook and name not in _HOOKS:
            raise NotSimulated(f"spec.hooks.{name} is not simulated: leave it out, or {_ELSEWHERE}")
        if hook and hook.get("version") != _VERSION:
            raise NotSimulated(f"spec.hooks.{name}.version is not simulated: set it to {_VERSION}, or {_ELSEWHERE}")


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
