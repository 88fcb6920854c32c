"""The kinds of children, and what the operator must know of those that a spec may ask for beside the Deployment.

Metacontroller's permissions and ``childResources``, name conflicts, and related rules follow from these rows.

These change rarely, so a related rule by name is cheap: it shows whether another object has the name.
"""

from collections.abc import Callable
from dataclasses import dataclass

from app.api.spec import MyResourceSpec
from app.core.desired.manifests.horizontal_pod_autoscaler import autoscaler
from app.core.desired.manifests.pod_disruption_budget import budget
from app.core.desired.manifests.routes import address_label, http_route, ingress, route_kind
from app.core.desired.manifests.service import service, wants_service
from app.core.desired.replicas import Replicas
from metahook import (
    CustomizeRequest,
    Deployment,
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
    """A child of *kind* that a MyResource has only if its spec ``wants`` it."""

    kind: type[Object]
    wants: Callable[[MyResourceSpec], bool]
    manifest: Callable[[Parent, MyResourceSpec, Replicas], Manifest | None]
    """Returns it for a number of Pods, or None if there is none for that number."""
    remedy: str
    """What makes it unwanted."""
    value: str = ""
    """The value of the chart that has to be true for it; by default none."""
    is_always_listed: bool = False
    """Whether each CompositeController lists it, also that of an earlier release, and whatever the chart's values."""


OPTIONAL_CHILDREN = (
    OptionalChild(Service, wants_service, service, "set spec.service.mode to Disabled", is_always_listed=True),
    OptionalChild(
        PodDisruptionBudget,
        lambda spec: spec.pod_disruption_budget == "Auto",
        budget,
        "set spec.podDisruptionBudget to Disabled",
    ),
    OptionalChild(
        HorizontalPodAutoscaler, lambda spec: spec.autoscaling is not None, autoscaler, "remove spec.autoscaling"
    ),
    OptionalChild(
        Ingress,
        lambda spec: spec.expose is not None and route_kind(spec.expose) is Ingress,
        ingress,
        "remove spec.expose",
        "expose.ingress",
    ),
    OptionalChild(
        HTTPRoute,
        lambda spec: spec.expose is not None and route_kind(spec.expose) is HTTPRoute,
        http_route,
        "remove spec.expose",
        "expose.gateway",
    ),
)

CHILDREN: tuple[type[Object], ...] = (Deployment, *(child.kind for child in OPTIONAL_CHILDREN))
"""The kinds of a MyResource's children."""

CHART_VALUES: dict[type[Object], str] = {child.kind: child.value for child in OPTIONAL_CHILDREN if child.value}
"""The values of the chart that let the operator create children of some kinds."""

NOT_ALWAYS_LISTED: frozenset[type[Object]] = frozenset(
    child.kind for child in OPTIONAL_CHILDREN if not child.is_always_listed
)
"""The kinds of children that the CompositeController in a cluster need not list."""


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
    rules = [select_by_name(child.kind, parent.namespace, parent.name) for child in managed]
    if spec.expose and request.manages(kind := route_kind(spec.expose)):
        rules.append(select_by_labels(kind, parent.namespace, address_label(spec.expose)))
    return rules
