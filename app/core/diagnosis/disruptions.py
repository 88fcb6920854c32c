"""Disruptions: why a whole Pod ended, or is about to, that is not the fault of one of its containers.

A disrupted Pod is replaced at once, so a single disruption is a cause only until its replacement is ready. Where a
replacement is disrupted again, more disruptions are likely until a user acts: then the running Pods are unstable
until ten minutes have passed without another disruption. Failed Pods stay listed; those that are deleted do not.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct, field
from msgspec.structs import replace

from app.api.names import CONTAINER
from app.api.spec import MyResourceSpec
from app.core.diagnosis.advice import OwnContainer, own_container
from app.core.diagnosis.causes import EVENT_GRACE, FORGIVEN, Cause
from app.core.diagnosis.revision import Revision, ready_since
from app.core.reasons import EVICTED, NODE_LOST, POD_REJECTED, PREEMPTED, Explanation
from app.core.timers import after, parse_time
from metahook import Pod, PodStatus


class Disruption(Struct, frozen=True):
    """A cause, when it came about, and when its Pod was created; a Pod that ``failed`` stays listed."""

    cause: Cause
    at: datetime
    created: datetime
    failed: bool
    is_timed: bool = True
    """Whether the time is known; the status of a Pod that a kubelet rejects often has none."""


class Disruptions(Struct, frozen=True):
    """The recent disruptions of a revision: their causes. Those created since ``suspects_since`` may follow."""

    causes: list[Cause] = field(default_factory=list)
    suspects_since: datetime | None = None
    failed: int = 0
    """Pods that failed."""


def disruptions(revision: Revision, spec: MyResourceSpec, now: datetime) -> Disruptions:
    """Return the disruptions within ten minutes before the last one; none if that is over ten minutes ago."""
    lost = [Cause(NODE_LOST.explained()) for pod in revision.pods if _is_lost(pod)]
    every = [disruption for pod in revision.pods for disruption in _disruptions(pod, spec)]
    last = max((disruption.at for disruption in every), default=None)
    if last is None or not _is_recent(last, now):
        return Disruptions(lost)
    recent = [disruption for disruption in every if _is_recent(disruption.at, last)]
    failed = sorted((other for other in recent if other.failed), key=lambda other: (other.at, other.created))
    first = failed[0].at if failed else None
    again = _has_failed_again(failed, spec.autoscaling.max_replicas if spec.autoscaling else spec.replicas)
    until = after(last, FORGIVEN) if again else _replaced_at(revision, recent, spec.min_ready_seconds or 0)
    causes = [replace(other.cause, until=until, is_unstable=again, failed_at=other.at) for other in recent]
    return Disruptions([*lost, *causes], first if again else None, len(failed))


def _has_failed_again(failed: list[Disruption], replicas: int) -> bool:
    """Tell whether a replacement failed, too. Where no time of a failure is known, only their number tells."""
    timed = next((disruption for disruption in failed if disruption.is_timed), None)
    if timed is None:
        return len(failed) > max(1, replicas)
    return any(other.created >= timed.at for other in failed if other is not timed)


def _is_recent(at: datetime, now: datetime) -> bool:
    return (now - at).total_seconds() < FORGIVEN


def _replaced_at(revision: Revision, recent: list[Disruption], min_ready: int) -> datetime | None:
    """Return when as many Pods have been ready for a while as were disrupted, or when that no longer matters."""
    times = [disruption.at for disruption in recent]
    created = ((parse_time(pod.metadata.creation_timestamp), pod) for pod in revision.live)
    ready = sorted(since for at, pod in created if at and at >= min(times) and (since := ready_since(pod)))
    replaced = after(ready[len(times) - 1], min_ready + EVENT_GRACE) if len(ready) >= len(times) else None
    forgiven = after(max(times), FORGIVEN)
    return min((time for time in (replaced, forgiven) if time), default=None)


def _is_lost(pod: Pod) -> bool:
    """Tell whether the node of *pod* does not respond: then only the Pod's condition Ready is set, and by others."""
    conditions = [pod.status.condition(kind) for kind in ("Ready", "ContainersReady")] if pod.status else []
    values = [(condition.status, condition.reason or "") for condition in conditions if condition]
    return values == [("False", ""), ("True", "")]


def _disruptions(pod: Pod, spec: MyResourceSpec) -> Iterator[Disruption]:
    if pod.status is None or (pod.status.phase != "Failed" and pod.metadata.deletion_timestamp is None):
        return
    created = parse_time(pod.metadata.creation_timestamp)
    if created is None:
        return
    if pod.status.phase == "Failed" and (cause := failure(pod.status, spec)):
        ready = pod.status.condition("Ready")
        at = parse_time(ready.last_transition_time) if ready else None
        yield Disruption(cause, at or created, created, failed=True, is_timed=at is not None)
    elif pod.metadata.deletion_timestamp and (target := pod.status.condition("DisruptionTarget")):
        at = parse_time(target.last_transition_time)
        if at and (cause := deletion(target.reason or "", spec)) and not _is_lost(pod):
            yield Disruption(cause, at, created, failed=False)


_STORAGE = "ephemeral-storage"
_EMPTY_DIR = re.compile('Usage of EmptyDir volume "(?P<name>[^"]+)" exceeds the limit')
_OVER_LIMIT = re.compile(r"(Container (?P<name>\S+) exceeded its local ephemeral|Pod ephemeral local) storage")
_RESOURCES = {"memory": "memory", _STORAGE: "disk space", "inodes": "inodes", "pids": "process IDs"}
_LOW = re.compile(f"The node was low on resource: (?P<what>{'|'.join(_RESOURCES)})[.]")
"""What the kubelet says. Source: Kubernetes, pkg/kubelet/eviction/helpers.go."""

READ_MESSAGES = (_EMPTY_DIR, _OVER_LIMIT, _LOW)
"""What is read of the message: recordings keep this, and nothing else of it."""

_REJECTED = ("OutOf", "NodeAffinity", "UnexpectedAdmissionError", "TopologyAffinityError")
"""How the reasons begin for which a kubelet rejects a Pod. Source: Kubernetes, pkg/kubelet/lifecycle/predicate.go."""

_SHUTDOWN = ("NodeShutdown", "Terminated")
"""Reasons of Pods that ended with their node. Source: Kubernetes, pkg/kubelet/nodeshutdown."""

_REPLACED = "wait for its replacement"


def failure(status: PodStatus, spec: MyResourceSpec) -> Cause | None:
    """Return why a Pod with this *status* failed as a whole; None if its containers tell."""
    reason = status.reason or ""
    if reason == "Evicted":
        return Cause(_evicted(status.message or "", spec))
    if reason in _SHUTDOWN:
        return Cause(EVICTED.explained(why="its node was shut down", remedy=_REPLACED))
    if reason == "Preempting":
        return Cause(_preempted(spec))
    return Cause(_rejected(reason)) if reason.startswith(_REJECTED) else None


def deletion(reason: str, spec: MyResourceSpec) -> Cause | None:
    """Return why a Pod is being deleted, by the *reason* of its condition DisruptionTarget; None if another tells."""
    if reason == "PreemptionByScheduler":
        return Cause(_preempted(spec))
    if reason == "EvictionByEvictionAPI":
        return Cause(EVICTED.explained(why="a client such as kubectl drain requested it", remedy=_REPLACED))
    if reason == "DeletionByTaintManager":
        return Cause(EVICTED.explained(why="its node has a taint that the Pod does not tolerate", remedy=_REPLACED))
    return None


def _evicted(message: str, spec: MyResourceSpec) -> Explanation:
    """Explain that the kubelet evicted a Pod, of which it says *message*."""
    if match := _EMPTY_DIR.match(message):
        return _too_large(match["name"], spec)
    if match := _OVER_LIMIT.match(message):
        path, fields = own_container(spec, match["name"] or CONTAINER) or OwnContainer("spec", spec)
        limits = (fields.resources and fields.resources.limits) or {}
        verb = "raise" if _STORAGE in limits else "set"
        remedy = f"{verb} {path}.resources.limits.{_STORAGE}, or write less data"
        return EVICTED.explained(why="it exceeded its ephemeral-storage limit", remedy=remedy)
    if match := _LOW.match(message):
        resource = _RESOURCES[match["what"]]
        return EVICTED.explained(
            why=f"its node is low on {resource}", remedy=f"free up {resource} on the node, or add nodes"
        )
    return EVICTED.explained(why="its node could no longer run it", remedy="check the events of the node")


def _too_large(name: str, spec: MyResourceSpec) -> Explanation:
    """Explain that an emptyDir volume exceeded its limit; it is named if it is one of *spec*."""
    own = any(volume.name == name and volume.empty_dir for volume in spec.volumes or [])
    raise_it = "raise its emptyDir.sizeLimit in spec.volumes, or write less data"
    remedy = raise_it if own else "check the sidecar injector or policy that adds it"
    return EVICTED.explained(why=f"{f'volume {name}' if own else 'a volume'} exceeded its size limit", remedy=remedy)


def _preempted(spec: MyResourceSpec) -> Explanation:
    if spec.priority_class_name:
        return PREEMPTED.explained(remedy="set spec.priorityClassName to a class with a higher priority, or add nodes")
    return PREEMPTED.explained(remedy="set spec.priorityClassName, or add nodes")


def _rejected(reason: str) -> Explanation:
    if reason.startswith("OutOf"):
        return POD_REJECTED.explained(why="the node does not have enough free resources")
    return POD_REJECTED.explained(why="the Pod no longer matches the labels or devices of the node")
