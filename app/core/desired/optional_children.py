"""The children that a spec may ask for beside the Deployment, and what the core must know of each kind.

They change rarely, so a related rule by name is cheap: it shows whether another object has the name.
"""

from collections.abc import Callable
from dataclasses import dataclass

from app.api.spec import MyResourceSpec
from app.core.child_metadata import autoscaler_name, budget_name, route_name, service_name
from app.core.desired.horizontal_pod_autoscaler import autoscaler, wants_autoscaler
from app.core.desired.pod_disruption_budget import budget, wants_budget
from app.core.desired.replicas import Replicas
from app.core.desired.routes import (
    address_label,
    http_route,
    ingress,
    route_kind,
    wants_http_route,
    wants_ingress,
)
from app.core.desired.service import service, wants_service
from metahook import (
    CustomizeRequest,
    HorizontalPodAutoscaler,
    HTTPRoute,
    Ingress,
    Manifest,
    Object,
    Parent,
    PodDisruptionBudget,
    RelatedRule,
    Service,
    select_by_labels,
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
    OptionalChild(Ingress, route_name, wants_ingress, ingress),
    OptionalChild(HTTPRoute, route_name, wants_http_route, http_route),
)


def wanted(spec: MyResourceSpec) -> list[OptionalChild]:
    """Return those that *spec* asks for."""
    return [child for child in OPTIONAL_CHILDREN if child.wants(spec)]


def optional_children(parent: Parent, spec: MyResourceSpec, replicas: Replicas) -> dict[type[Object], Manifest]:
    """Return the manifests of those that *spec* asks for, with *replicas* Pods."""
    manifests = {child.kind: child.manifest(parent, spec, replicas) for child in wanted(spec)}
    return {kind: manifest for kind, manifest in manifests.items() if manifest}


def related_rules(request: CustomizeRequest, spec: MyResourceSpec) -> list[RelatedRule]:
    """Return the related rules for the objects that have the names of these children, or the address of the route."""
    parent = request.parent
    managed = [child for child in wanted(spec) if request.manages(child.kind)]
    rules = [select_by_name(child.kind, parent.namespace, child.name(parent)) for child in managed]
    if spec.expose and request.manages(kind := route_kind(spec.expose)):
        rules.append(select_by_labels(kind, parent.namespace, address_label(spec.expose)))
    return rules
