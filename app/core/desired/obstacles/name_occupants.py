"""Name occupants: objects that occupy the name of a child: those of other owners, and children that are being deleted.

The hook never lists a child whose name another object has. Metacontroller would report nothing: dynamic-apply ignores
the conflict, and server-side apply takes the object over and deletes it together with the MyResource.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from app.api.names import GROUP, KIND
from app.core.child_metadata import deployment_name, replica_set_hash
from app.core.timers import parse_time
from metahook import Absence, Children, Manifest, Metadata, Object, Parent, Pod, SyncRequest


@dataclass(frozen=True)
class NameOccupant:
    """The object of *kind* called *name*; one that is terminating goes once its *finalizers* are removed."""

    kind: str
    name: str
    is_terminating: bool = False
    finalizers: tuple[str, ...] = ()


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
