"""Pod failures: why a whole Pod failed, or is being deleted, and what to change in the spec."""

import re

from app.api.names import CONTAINER
from app.api.spec import MyResourceSpec
from app.core.diagnosis.advice import OwnContainer, own_container
from app.core.diagnosis.causes import Cause
from app.core.reasons import EVICTED, POD_REJECTED, PREEMPTED, Explanation
from metahook import PodStatus

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
