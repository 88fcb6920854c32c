"""The kinds of children, and the manifests of those that a spec asks for.

Metacontroller's permissions and ``childResources``, name conflicts, and related rules follow from the rows of the
optional children. These change rarely, so a related rule by name is cheap: it shows whether another has the name.
"""

from collections.abc import Callable, Mapping

from msgspec import Struct

from app.api.scalars import is_writable
from app.api.spec import MyResourceSpec
from app.core.child_metadata import GENERATION_STAMP
from app.core.desired.deployment import deployment, with_rollback
from app.core.desired.exposure import ROUTES, address_label, http_route, ingress, route_kind
from app.core.desired.memo import GenerationMemo, memory_of
from app.core.desired.replicas import Replicas, autoscaler, budget
from app.core.desired.rollback import Rollback
from app.core.desired.service import service, wants_service
from metahook import (
    CustomizeRequest,
    Deployment,
    EncodedManifest,
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
    with_generation_stamp,
)


class OptionalChild(Struct, frozen=True):
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

ManifestsByKind = Mapping[type[Object], EncodedManifest]
"""The manifests of all children that a spec asks for, by kind; the Deployment first."""

_OBJECT = 100
"""Bytes of memory for an object or list in the JSON of a manifest, as dictionaries."""

_ROUTES = {kind.KIND.kind for kind in ROUTES}

Texts = Mapping[str, Mapping[str, str]]
"""Values by key, by ``labels`` and ``annotations``."""

CHILDREN: tuple[type[Object], ...] = (Deployment, *(child.kind for child in OPTIONAL_CHILDREN))
"""The kinds of a MyResource's children."""

CHART_VALUES: dict[type[Object], str] = {child.kind: child.value for child in OPTIONAL_CHILDREN if child.value}
"""The values of the chart that let the operator create children of some kinds."""

NOT_ALWAYS_LISTED: frozenset[type[Object]] = frozenset(
    child.kind for child in OPTIONAL_CHILDREN if not child.is_always_listed
)
"""The kinds of children that the CompositeController in a cluster need not list."""


def wanted(spec: MyResourceSpec) -> list[OptionalChild]:
    return [child for child in OPTIONAL_CHILDREN if child.wants(spec)]


def optional_children(parent: Parent, spec: MyResourceSpec, replicas: Replicas) -> dict[type[Object], Manifest]:
    """Return the manifests of those that *spec* asks for, with *replicas* Pods."""
    made = {child.kind: child.manifest(parent, spec, replicas) for child in wanted(spec)}
    return {kind: manifest for kind, manifest in made.items() if manifest}


def related_rules(request: CustomizeRequest, spec: MyResourceSpec) -> list[RelatedRule]:
    """Return the related rules for the objects that have the names of these children, or the address of the route."""
    parent = request.parent
    managed = [child for child in wanted(spec) if request.manages(child.kind)]
    rules = [select_by_name(child.kind, parent.namespace, parent.name) for child in managed]
    if spec.expose and request.manages(kind := route_kind(spec.expose)):
        rules.append(select_by_labels(kind, parent.namespace, address_label(spec.expose)))
    return rules


def manifests(  # noqa: PLR0913 - all that they depend on
    parent: Parent,
    spec: MyResourceSpec,
    config_hashes: Mapping[str, str],
    replicas: Replicas,
    memo: GenerationMemo | None = None,
    *,
    rollback: Rollback | None = None,
) -> ManifestsByKind:
    """Return the manifests for *parent* with *spec* and *replicas* Pods; *config_hashes* are annotations of those."""
    texts = propagated(parent, spec) if spec.propagate else {}
    metadata = tuple([(field, tuple(values.items())) for field, values in texts.items()])
    hashes = tuple(config_hashes.items())
    of_parent = (parent.name, parent.namespace, parent.uid, parent.generation, metadata)
    key = ("manifests", *of_parent, hashes, replicas, rollback, parent.spec)
    remembered: ManifestsByKind | None = memo.get(key) if memo else None
    if remembered:
        return remembered
    children: dict[type[Object], Manifest] = {Deployment: deployment(parent, spec, config_hashes, replicas)}
    if rollback:
        children[Deployment] = with_rollback(children[Deployment], spec, rollback)
    children |= optional_children(parent, spec, replicas)
    if texts:
        children = {kind: with_propagated(child, texts) for kind, child in children.items()}
    encoded = {
        kind: EncodedManifest(with_generation_stamp(child, parent, GENERATION_STAMP))
        for kind, child in children.items()
    }
    if memo:
        size = sum(memory_of(bytes(child.json), _OBJECT) for child in encoded.values())
        memo.put(key, encoded, len(parent.spec) + size)
    return encoded


def propagated(parent: Parent, spec: MyResourceSpec) -> Texts:
    """Return the labels and annotations of *parent* that its *spec* lists, as far as they can be applied.

    The Pod template gets none of them: a change of a label would restart the Pods. A route gets no annotation: there it
    could configure the ingress controller, which serves other users, too.
    """
    if spec.propagate is None:
        return {}
    lists = {
        "labels": (spec.propagate.labels, parent.labels),
        "annotations": (spec.propagate.annotations, parent.annotations),
    }
    return {
        field: {key: own[key] for key in keys if key in own and is_writable(own[key])}
        for field, (keys, own) in lists.items()
        if keys
    }


def with_propagated(child: Manifest, texts: Texts) -> Manifest:
    """Return *child* with *texts* in its metadata; what it has itself stays."""
    metadata = child["metadata"]
    taken = {"labels": texts.get("labels", {})} if child["kind"] in _ROUTES else texts
    merged = {field: {**values, **(metadata.get(field) or {})} for field, values in taken.items()}
    return {**child, "metadata": {**metadata, **merged}}
