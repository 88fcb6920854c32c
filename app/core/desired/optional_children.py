"""The children that a spec may ask for beside the Deployment, and what the core must know of each kind.

They change rarely, so a related rule by name is cheap: it shows whether another object has the name.
"""

from collections.abc import Callable
from dataclasses import dataclass

from app.api.spec import MyResourceSpec
from app.core.child_metadata import autoscaler_name, budget_name, service_name
from app.core.desired.horizontal_pod_autoscaler import autoscaler, wants_autoscaler
from app.core.desired.pod_disruption_budget import budget, wants_budget
from app.core.desired.replicas import Replicas
from app.core.desired.service import service, wants_service
from metahook import (
    HorizontalPodAutoscaler,
    Manifest,
    Object,
    Parent,
    PodDisruptionBudget,
    RelatedRule,
    Service,
    select_by_name,
)


@dataclass(frozen=True)
class OptionalChild:
    """A child of *kind*, which only those have whose spec ``wants`` it."""

    kind: type[Object]
    name: Callable[[Parent], str]
    wants: Callable[[MyResourceSpec], bool]
    manifest: Callable[[Parent, MyResourceSpec, Replicas], Manifest | None]
    """Returns it for a number of Pods, or None if there is none for that number."""


OPTIONAL_CHILDREN = (
    OptionalChild(Service, service_name, wants_service, service),
    OptionalChild(PodDisruptionBudget, budget_name, wants_budget, budget),
    OptionalChild(HorizontalPodAutoscaler, autoscaler_name, wants_autoscaler, autoscaler),
)


def wanted(spec: MyResourceSpec) -> list[OptionalChild]:
    """Return those that *spec* asks for."""
    return [child for child in OPTIONAL_CHILDREN if child.wants(spec)]


def optional_children(parent: Parent, spec: MyResourceSpec, replicas: Replicas) -> dict[type[Object], Manifest]:
    """Return the manifests of those that *spec* asks for, with *replicas* Pods."""
    manifests = {child.kind: child.manifest(parent, spec, replicas) for child in wanted(spec)}
    return {kind: manifest for kind, manifest in manifests.items() if manifest}


def related_rules(parent: Parent, spec: MyResourceSpec) -> list[RelatedRule]:
    """Return the related rules for the objects that have the names of these children."""
    return [select_by_name(child.kind, parent.namespace, child.name(parent)) for child in wanted(spec)]
