"""The diagnosis: what the Pods of the current rollout say of why it does not end.

It gives a reason another name and message, and nothing else: it never makes Ready true, and no child depends on it.

ReplicaSets are not asked for, as each of their events would cost Metacontroller a walk over all MyResources. Which Pods
are the current ones is told by what made them, how many the Deployment has of them, and their age.
"""

from collections import defaultdict
from datetime import datetime
from typing import NamedTuple

from app.api.spec import MyResourceSpec
from app.core.causes import Cause, causes
from app.core.identity import CONTAINER
from app.hooks import Absence, Deployment, Pod, Related

HASH = "pod-template-hash"

_OVER = ("Succeeded", "Failed")


def diagnosis(
    related: Related, deployment: Deployment, spec: MyResourceSpec, now: datetime
) -> tuple[Cause | None, datetime | None]:
    """Return the cause that holds *now*, and when time alone may bring another.

    *deployment* carries *spec*. Of several causes the one with the lowest place is said, whatever the order of Pods.
    """
    found = [cause for pod in _current(related, deployment, spec.image) for cause in causes(pod, spec)]
    said = min((cause for cause in found if cause.holds(now)), key=lambda cause: cause.place, default=None)
    rivals = [cause for cause in found if said is None or cause.place <= said.place]
    ahead = [each for cause in rivals for each in (cause.since, cause.until) if each and each > now]
    return said, min(ahead, default=None)


def _current(related: Related, deployment: Deployment, image: str) -> list[Pod]:
    """Return the Pods that the newest ReplicaSet of *deployment* has, which runs *image*.

    They are as many as the Deployment has updated. Where that fits several ReplicaSets, or for a moment none, it is the
    one that has had Pods for the shortest time. Neither need be so for long: after a rollback the older one is the
    newest, and old Pods are replaced, too. (An admission policy may change all images: then none has it.)
    """
    seen, updated = related.all(Pod), (deployment.status and deployment.status.updated_replicas) or 0
    if isinstance(seen, Absence) or updated <= 0:
        return []
    groups: defaultdict[str, list[Pod]] = defaultdict(list)
    for pod in seen:
        if (made := _template_hash(pod, deployment)) and not _is_over(pod):
            groups[made].append(pod)
    newest = max(groups, key=lambda made: (*_fit(groups[made], updated, image), made), default=None)
    return groups[newest] if newest else []


class _Fit(NamedTuple):
    """How well Pods fit to be those of the newest ReplicaSet; what stands first counts most."""

    runs_its_image: bool
    is_as_many: bool
    first_made: str
    less_off: int


def _fit(pods: list[Pod], updated: int, image: str) -> _Fit:
    off = abs(len(pods) - updated)
    runs_it = any(pod.spec and pod.spec.image(CONTAINER) == image for pod in pods)
    return _Fit(runs_it, off == 0, min(pod.metadata.creation_timestamp or "" for pod in pods), -off)


def _template_hash(pod: Pod, deployment: Deployment) -> str | None:
    """Return which of the ReplicaSets of *deployment* made *pod*; None if somebody else did."""
    made, maker = pod.metadata.label(HASH), pod.metadata.controller
    return made if made and maker and maker.name == f"{deployment.metadata.name}-{made}" else None


def _is_over(pod: Pod) -> bool:
    """Tell whether *pod* is on its way out, and another takes its place."""
    return pod.metadata.deletion_timestamp is not None or (pod.status is not None and pod.status.phase in _OVER)
