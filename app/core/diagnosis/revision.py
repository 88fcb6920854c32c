"""The current revision: which Pods the newest ReplicaSet of a Deployment made.

ReplicaSets are no related objects, as each of their events would cost Metacontroller a walk over all MyResources. So
the Pods themselves tell: those of the newest ReplicaSet carry the Deployment's template. One Pod stands for all that
have its template hash. Where an admission policy changed all Pods, those that differ least from the template count,
and of these the ones that are as many as the Deployment has updated, and youngest.
"""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct, field

from app import Json
from app.core.child_metadata import POD_TEMPLATE_HASH, replica_set_hash
from app.core.rollout import COMPLETE
from app.core.timers import parse_time
from metahook import Deployment, Pod

_OVER = ("Succeeded", "Failed")


class Revision(Struct, frozen=True, dict=True):
    """The Pods that were made from one template; ``deployment_pods`` are all that the Deployment has."""

    pods: list[Pod] = field(default_factory=list)
    deployment_pods: list[Pod] = field(default_factory=list)

    @cached_property
    def spec(self) -> Json:
        """The spec of one Pod, which stands for all."""
        return self.example.decoded_spec() if self.pods else {}

    @cached_property
    def example(self) -> Pod:
        """The oldest Pod."""
        return min(self.pods, key=lambda pod: (pod.metadata.creation_timestamp or "", pod.metadata.name))

    @cached_property
    def live(self) -> list[Pod]:
        """The Pods that run or are going to."""
        return [pod for pod in self.pods if is_live(pod)]

    @cached_property
    def sidecars(self) -> set[str]:
        """The names of the init containers that run as long as their Pod does."""
        init = self.spec.get("initContainers")
        containers = [_object(container) for container in (init if isinstance(init, list) else [])]
        return {str(container.get("name")) for container in containers if container.get("restartPolicy") == "Always"}


_NOTHING_KNOWN = Revision()


def is_live(pod: Pod) -> bool:
    """Tell whether *pod* has neither ended nor been deleted, so that its ReplicaSet counts it."""
    return pod.metadata.deletion_timestamp is None and (pod.status is None or pod.status.phase not in _OVER)


def ready_since(pod: Pod) -> datetime | None:
    """Return since when *pod* is ready, as its status says; None if it is not."""
    ready = pod.status.condition("Ready") if pod.status else None
    return parse_time(ready.last_transition_time) if ready and ready.status == "True" else None


def current(observed: list[Pod], deployment: Deployment) -> Revision:
    """Return the current revision of *deployment* from the *observed* Pods, also of others; empty if none is known."""
    pods = [pod for pod in observed if replica_set_hash(pod, deployment.metadata.name)]
    if not pods:
        return _NOTHING_KNOWN
    groups: defaultdict[str, list[Pod]] = defaultdict(list)
    for pod in pods:
        groups[pod.metadata.label(POD_TEMPLATE_HASH) or ""].append(pod)
    updated = (deployment.status and deployment.status.updated_replicas) or 0
    fits = {template_hash: _fit(Revision(group), deployment, updated) for template_hash, group in groups.items()}
    newest = max(fits, key=lambda template_hash: (*fits[template_hash], template_hash))
    is_known = updated > 0 or fits[newest].differing == 0 or _is_complete(deployment)
    return Revision(groups[newest] if is_known else [], pods)


def _is_complete(deployment: Deployment) -> bool:
    """Tell whether the newest ReplicaSet has had all its Pods; else it may have none yet, and all Pods are old."""
    progressing = deployment.status.condition("Progressing") if deployment.status else None
    return progressing is not None and progressing.reason == COMPLETE


class _Fit(NamedTuple):
    """How well Pods fit to be those of the newest ReplicaSet; what stands first counts most."""

    differing: int
    """Fields in which they differ from the template, as a number of at most 0."""
    is_as_many: bool
    added: int
    """Fields that the template does not have, as a number of at most 0."""
    oldest_created: str
    count_error: int
    """How many Pods more or fewer than updated ones exist, as a number of at most 0."""


def _fit(revision: Revision, deployment: Deployment, updated: int) -> _Fit:
    template = _object((deployment.spec or {}).get("template"))
    metadata, pod = _object(template.get("metadata")), revision.example
    differs = [
        *_lacking(_object(metadata.get("labels")), pod.metadata.labels or {}),
        *_lacking(_object(metadata.get("annotations")), pod.metadata.annotations or {}),
        *_lacking(_object(template.get("spec")), revision.spec),
        *_unlike(_containers(template.get("spec")), _containers(revision.spec)),
    ]
    adds = len(revision.spec.keys() - _object(template.get("spec")).keys() - {"nodeName"})
    adds += len((pod.metadata.annotations or {}).keys() - _object(metadata.get("annotations")).keys())
    off = abs(len(revision.live) - updated)
    first = min(pod.metadata.creation_timestamp or "" for pod in revision.pods)
    return _Fit(-len(differs), off == 0, -adds, first, -off)


def _lacking(template: Json, pod: Json) -> Iterator[str]:
    """Yield which fields of *template* have another value; a list may have more items, which admission adds."""
    for name, value in template.items():
        value_of_pod = pod.get(name)
        if isinstance(value, list) and isinstance(value_of_pod, list):
            if name != "containers" and any(item not in value_of_pod for item in value):
                yield name
        elif value != value_of_pod:
            yield name


def _unlike(template: dict[str, Json], pod: dict[str, Json]) -> Iterator[str]:
    """Yield which fields of the containers of *template* are not the same, also those that it has not."""
    for name, container in template.items():
        other = pod.get(name, {})
        yield from (field for field in container.keys() | other.keys() if container.get(field) != other.get(field))


def _containers(spec: object) -> dict[str, Json]:
    containers = _object(spec).get("containers")
    items = map(_object, containers if isinstance(containers, list) else [])
    return {str(item.get("name")): item for item in items}


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}
