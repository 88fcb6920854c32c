"""The desired state: which children to list in the response, or why to keep the observed ones.

Metacontroller deletes what is not listed. So a child is left out only

- if the spec does not ask for it, or the CompositeController in the cluster does not list its kind,
- while another object has its name, or, of a route, its host and path,
- while the first Deployment waits for the spec's dependencies.

An invalid spec keeps every observed child as it was applied last; one that is suspended leaves each as it is observed.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from app.api.names import GROUP, KIND
from app.api.reading import InvalidSpec
from app.api.spec import MyResourceSpec
from app.core.child_metadata import deployment_name, replica_set_hash
from app.core.desired.children import ManifestsByKind, manifests
from app.core.desired.config_hash import NO_CONFIG, Config, config
from app.core.desired.dependencies import Unmet, unmet_dependencies
from app.core.desired.exposure import ROUTES, Exposure, earlier_routes, exposure
from app.core.desired.memo import GenerationMemo
from app.core.desired.replicas import Replicas, ScheduleState, desired_replicas, observed_replicas, schedule_state
from app.core.desired.rollback import Rollback, observed_rollback
from app.core.desired.service import follow_pods, service_ports, wants_service
from app.core.desired.valid_spec import ValidSpec, checked_spec
from app.core.previous_status import PreviousStatus
from app.core.rollout import in_observed_template
from app.core.timers import parse_time
from app.core.watch import Watch
from metahook import (
    LAST_APPLIED,
    Absence,
    Children,
    Deployment,
    EncodedManifest,
    HorizontalPodAutoscaler,
    Manifest,
    Metadata,
    Object,
    Parent,
    Pod,
    Service,
    SyncRequest,
    with_observed_values,
)

MAX_CHILD = 200 * 1024
"""Bytes. Metacontroller's dynamic-apply puts a child into an annotation, and those may have 256 KiB together."""

_ESCAPED = (b"<", b">", b"&", "\u2028".encode(), "\u2029".encode())
"""Go writes each of these as six bytes. Source: encoding/json, ``Marshal``."""

_MAX_GROWTH = 12
"""Times that a child can grow: six times by escaping, and its annotations are there once more."""


class NameOccupant(msgspec.Struct, frozen=True):
    """The object of *kind* called *name*; one that is terminating goes once its *finalizers* are removed."""

    kind: str
    name: str
    is_terminating: bool = False
    finalizers: tuple[str, ...] = ()


class DesiredState(NamedTuple):
    """The desired ``children``; or those that are ``kept`` as they are, and the ``problem`` of the spec."""

    children: Sequence[EncodedManifest] = ()
    service: Manifest | None = None
    """The Service to send in place of the one among the children. See target_ports."""
    kept: Sequence[Manifest] = ()
    spec: MyResourceSpec | None = None
    """None if it is invalid."""
    replicas: Replicas = Replicas(0)
    schedule: ScheduleState | None = None
    """What the schedule asks for; None if the spec has none, or is not followed."""
    problem: str | None = None
    is_suspended: bool = False
    """Whether the spec asks to change nothing."""
    is_kept: bool = False
    """Whether the observed children are kept, which need not be those of this spec."""
    occupants: tuple[NameOccupant, ...] = ()
    """The objects that stand in the way of a child: another has its name, or it is being deleted."""
    unmanaged: str = ""
    """The kind of a child that the CompositeController in the cluster does not list, so that it is not created."""
    exposure: Exposure | None = None
    """None if the spec asks for no address outside of the cluster."""
    config: Config = NO_CONFIG
    unmet_dependencies: list[Unmet] | None = None
    """None if the spec has no dependencies."""
    is_waiting_for_dependencies: bool = False
    """Whether the first Deployment waits for them."""
    rollback: Rollback | None = None
    """None if the spec asks for no rollbacks."""
    is_rolled_back: bool = False
    """Whether the last image that was Ready replaces the one in the spec."""

    @property
    def unrecorded_image(self) -> str | None:
        """The image of the spec that the Deployment is to remember once it is Ready; None if there is nothing to do."""
        rollback, spec = self.rollback, self.spec
        if rollback is None or spec is None or rollback.image or rollback.ready_image == spec.image:
            return None
        return spec.image


def desired_state(  # noqa: PLR0913 - all that it depends on
    request: SyncRequest,
    deployment: Deployment | None,
    now: datetime,
    watch: Watch,
    memo: GenerationMemo | None = None,
    *,
    previous: PreviousStatus,
) -> DesiredState:
    """Return the desired state of the parent of *request*, whose *deployment* is the observed one."""
    checked = checked_spec(request.parent, memo)
    if isinstance(checked, InvalidSpec):
        return _of_problem(request, checked.problem)
    spec = checked.spec
    if spec.suspend:
        kept = left_as_observed(request.parent, request.children)
        exposed = exposure(request, spec.expose) if spec.expose else None
        return DesiredState(kept=kept, spec=spec, is_suspended=True, is_kept=True, exposure=exposed)
    desired = _of_valid_spec(request, deployment, checked, now, watch, memo, previous)
    problem = _problem(request, spec, desired.children, watch)
    return _of_problem(request, problem) if problem else desired


def _of_problem(request: SyncRequest, problem: str) -> DesiredState:
    return DesiredState(kept=left_as_applied(request.parent, request.children), problem=problem, is_kept=True)


def _problem(
    request: SyncRequest, spec: MyResourceSpec, children: Sequence[EncodedManifest], watch: Watch
) -> str | None:
    """Return why the desired *children* can't be written as they are, although *spec* is valid; None if they can."""
    if watch.allowed_annotations and (path := _forbidden_annotations(spec, watch)):
        return f"{path}: has a key that this cluster does not allow; ask the cluster administrator, or remove it"
    if any(map(_is_too_large, children)):
        return f"spec: makes a child object larger than {MAX_CHILD // 1024} KiB; move long values to a ConfigMap"
    return unchangeable(request, spec) if spec.init_containers or spec.ports else None


def _forbidden_annotations(spec: MyResourceSpec, watch: Watch) -> str | None:
    """Return the path of the annotations of *spec* among which is a key that *watch* does not allow; None if none is.

    Other controllers read annotations, and may do for a MyResource what the operator does not.
    """
    keys_by_path = {
        "spec.podMetadata.annotations": spec.pod_metadata and spec.pod_metadata.annotations,
        "spec.service.annotations": spec.service.annotations,
        "spec.propagate.annotations": spec.propagate and spec.propagate.annotations,
    }
    return next((path for path, keys in keys_by_path.items() if not all(map(watch.allows, keys or ()))), None)


def _of_valid_spec(  # noqa: PLR0913, PLR0917 - see desired_state
    request: SyncRequest,
    deployment: Deployment | None,
    valid: ValidSpec,
    now: datetime,
    watch: Watch,
    memo: GenerationMemo | None,
    previous: PreviousStatus,
) -> DesiredState:
    spec = valid.spec
    # Here and below, nothing is called for a field that the spec does not use.
    schedule = schedule_state(spec.schedule, now) if spec.schedule else None
    replicas = Replicas(spec.replicas)
    if spec.autoscaling or schedule:
        replicas = desired_replicas(spec, deployment, request.children, schedule)
    observed_config = config(request, valid, watch, replicas.desired) if valid.references else NO_CONFIG
    rollback = observed_rollback(request.parent, spec, deployment, previous) if spec.rollback else None
    every_child = manifests(request.parent, spec, observed_config.hashes, replicas, memo, rollback=rollback)
    service = None
    if Service in every_child:
        applied, service = service_ports(every_child[Service], spec, request.children, deployment)
        every_child = {**every_child, Service: applied}
    unmet = unmet_dependencies(request, spec, watch) if spec.dependencies else None
    # Once it has started, it is not stopped because of a dependency.
    is_waiting = bool(unmet) and not previous.was_ever_ready and deployment is None
    left_behind = deployment_occupant(request) if deployment is None else None
    exposed = exposure(request, spec.expose) if spec.expose else None
    children, occupants = _optional_children(request, every_child, exposed)
    if exposed and exposed.kind.KIND.kind not in {child["kind"] for child in children}:
        children += earlier_routes(request, exposed)
    if not is_waiting and left_behind is None:
        children.insert(0, every_child[Deployment])
    deleted = [child for child in request.children if child.metadata.deletion_timestamp]
    terminating = terminating_child(children, request.children) if deleted else None
    return DesiredState(
        children=children,
        service=service,
        spec=spec,
        replicas=replicas,
        schedule=schedule,
        unmanaged=_unmanaged(request, every_child) if request.children.unmanaged else "",
        occupants=tuple([occupant for occupant in (terminating, *occupants, left_behind) if occupant]),
        exposure=exposed,
        config=observed_config,
        unmet_dependencies=unmet,
        is_waiting_for_dependencies=is_waiting,
        rollback=rollback,
        is_rolled_back=rollback is not None and rollback.image is not None,
    )


def _optional_children(
    request: SyncRequest, every_child: ManifestsByKind, exposed: Exposure | None
) -> tuple[list[EncodedManifest], list[NameOccupant]]:
    """Return the children beside the Deployment whose names are free, and who holds those of the others."""
    children: list[EncodedManifest] = []
    occupants: list[NameOccupant] = []
    for kind, child in every_child.items():
        if kind is not Deployment and request.children.manages(kind):
            occupant = name_occupant(request, kind, child["metadata"]["name"])
            if occupant:
                occupants.append(occupant)
            elif not (exposed and exposed.kind is kind and exposed.is_blocked):
                children.append(child)
    return children, occupants


def _unmanaged(request: SyncRequest, every_child: ManifestsByKind) -> str:
    """Return the kind of a child that can't be created; for that of a route, the condition Exposed says so."""
    kinds = [kind for kind in every_child if kind not in ROUTES and not request.children.manages(kind)]
    return kinds[0].KIND.kind if kinds else ""


def _is_too_large(child: EncodedManifest) -> bool:
    """Tell whether *child* and its record among its annotations are larger than MAX_CHILD, as Go writes them."""
    if _MAX_GROWTH * len(child.json) <= MAX_CHILD:
        return False
    parts = [bytes(child.json), msgspec.json.encode(child["metadata"]["annotations"])]
    return sum(len(part) + sum((6 - len(char)) * part.count(char) for char in _ESCAPED) for part in parts) > MAX_CHILD


def left_as_applied(parent: Parent, children: Children) -> list[Manifest]:
    """Return *children* as they were applied last, but with the number of Pods that an autoscaler among them has set.

    Metacontroller's dynamic-apply would otherwise undo what the autoscaler does, again and again.
    """
    kept = _with_service(children.kept(), parent, children)
    if children.get(HorizontalPodAutoscaler, parent.name) is None:
        return kept
    name = deployment_name(parent)
    observed = observed_replicas(children.get(Deployment, name))
    return [_with_replicas(each, observed) if each["metadata"]["name"] == name else each for each in kept]


def _with_replicas(child: Manifest, replicas: int) -> Manifest:
    """Return *child* with *replicas* in place of the number that it has, if it has one."""
    spec = child.get("spec")
    return {**child, "spec": {**spec, "replicas": replicas}} if isinstance(spec, dict) and "replicas" in spec else child


def left_as_observed(parent: Parent, children: Children) -> list[Manifest]:
    """Return each of the *children* as it was applied last, less what others removed, and with the observed values."""
    left = [with_observed_values(_with_observed_metadata(child, children), children) for child in children.kept()]
    return _with_service(left, parent, children)


def _with_service(kept: list[Manifest], parent: Parent, children: Children) -> list[Manifest]:
    deployment, kind = children.get(Deployment, deployment_name(parent)), Service.KIND.kind
    return [follow_pods(each, children, deployment) if each["kind"] == kind else each for each in kept]


def _with_observed_metadata(child: Manifest, children: Children) -> Manifest:
    """Return *child* with the observed values of its labels and annotations."""
    observed = children.observed(child)
    if observed is None:
        return child
    metadata = dict(child["metadata"])
    for field, texts in (("labels", observed.metadata.labels), ("annotations", observed.metadata.annotations)):
        if field in metadata:
            metadata[field] = {key: (texts or {})[key] for key in metadata[field] if key in (texts or {})}
    return {**child, "metadata": metadata}


def name_occupant(request: SyncRequest, kind: type[Object], name: str) -> NameOccupant | None:
    """Return who has the *name* of a child of *kind*, if this parent does not control it; it is a related object."""
    observed = request.related.get(kind, name)
    if request.children.get(kind, name) or observed in (Absence.MISSING, Absence.NOT_SELECTED):
        return None
    if isinstance(observed, Absence):
        return NameOccupant(kind.KIND.kind, name)
    metadata = observed.metadata
    if metadata.controller and metadata.controller.uid == request.parent.uid:
        return None
    is_terminating = metadata.deletion_timestamp is not None or _belonged_to_namesake(metadata, request.parent)
    return NameOccupant(kind.KIND.kind, name, is_terminating, _finalizers(observed))


def deployment_occupant(request: SyncRequest) -> NameOccupant | None:
    """Return the Deployment that an earlier MyResource of this name left behind, as its Pods show.

    A related rule would be exact, but cost Metacontroller a walk over all MyResources for each event of any Deployment.
    Pods are watched anyway, and those that are older than the parent belong to another Deployment.
    """
    name = deployment_name(request.parent)
    pods = request.related.all(Pod)
    if isinstance(pods, Absence):
        return None
    return NameOccupant("Deployment", name) if any(_is_left_behind(pod, name, request.parent) for pod in pods) else None


def terminating_child(desired: Sequence[Manifest], children: Children) -> NameOccupant | None:
    """Return the first of the *desired* children that is being deleted: it is created again only when it is gone."""
    for child in desired:
        observed = children.observed(child)
        if observed and observed.metadata.deletion_timestamp:
            return NameOccupant(
                child["kind"], observed.metadata.name, is_terminating=True, finalizers=_finalizers(observed)
            )
    return None


def _belonged_to_namesake(metadata: Metadata, parent: Parent) -> bool:
    """Tell whether it belongs to an earlier MyResource of the same name, so that garbage collection deletes it soon."""
    owner = metadata.controller
    return owner is not None and (owner.group, owner.kind, owner.name) == (GROUP, KIND, parent.name)


def _is_left_behind(pod: Pod, deployment: str, parent: Parent) -> bool:
    """Tell whether *pod* of *deployment* is older than *parent*."""
    if pod.metadata.deletion_timestamp or replica_set_hash(pod, deployment) is None:
        return False
    pod_created, parent_created = parse_time(pod.metadata.creation_timestamp), parse_time(parent.created)
    return pod_created is not None and parent_created is not None and pod_created < parent_created


def _finalizers(occupant: Object) -> tuple[str, ...]:
    return tuple(occupant.metadata.finalizers or ())


def unchangeable(request: SyncRequest, spec: MyResourceSpec) -> str | None:
    """Return the field of *spec* that an existing child can't follow, and the remedy; None if there is none."""
    if spec.init_containers and not _starts_in_order(request, [each.name for each in spec.init_containers]):
        return (
            "spec.initContainers: the Deployment has init containers that must start after others of this list, and "
            "Metacontroller can't move them: rename those"
        )
    if wants_service(spec) and _has_other_address(request, spec):
        return (
            "spec.service.clusterIP: an existing Service can't change between headless and not: set "
            "spec.service.mode to Disabled, and to Auto again once the Service is deleted"
        )
    return None


def _starts_in_order(request: SyncRequest, names: list[str]) -> bool:
    """Tell whether init containers with these *names* start in this order once they are applied.

    Metacontroller's dynamic-apply leaves those that are there in their order, and appends the others. With server-side
    apply the order is the desired one.
    """
    deployment = request.children.get(Deployment, deployment_name(request.parent))
    if deployment is None or deployment.metadata.annotation(LAST_APPLIED) is None:
        return True
    observed = in_observed_template(deployment, "spec", "initContainers")
    there = [each.get("name") for each in observed if isinstance(each, dict)] if isinstance(observed, list) else []
    return names == [*(name for name in there if name in names), *(name for name in names if name not in there)]


def _has_other_address(request: SyncRequest, spec: MyResourceSpec) -> bool:
    """Tell whether the existing Service is headless and the desired one is not, or the other way round.

    The API server refuses to take the address away, and silently leaves a Service without one as it is.
    """
    service = request.children.get(Service, request.parent.name)
    if service is None or service.metadata.deletion_timestamp:
        return False
    return ((service.spec or {}).get("clusterIP") == "None") != (spec.service.cluster_ip == "None")
