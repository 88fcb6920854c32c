"""Removals: why a Pod failed as a whole, or is being deleted, in the words of the spec."""

import re

from app.api.spec import MyResourceSpec
from app.core.diagnosis.causes import Cause
from app.core.reasons import EVICTED, POD_REJECTED, PREEMPTED
from metahook import PodStatus

Words = dict[str, str]

_STORAGE = "ephemeral-storage"
_EMPTY_DIR = re.compile('Usage of EmptyDir volume "(?P<name>[^"]+)" exceeds the limit')
_OVER_LIMIT = re.compile(r"(Container \S+ exceeded its local ephemeral|Pod ephemeral local) storage")
_RESOURCES = {"memory": "memory", _STORAGE: "disk space", "inodes": "inodes", "pids": "process IDs"}
_LOW = re.compile(f"The node was low on resource: (?P<what>{'|'.join(_RESOURCES)})[.]")
"""What the kubelet says. Source: Kubernetes, pkg/kubelet/eviction/helpers.go."""

_REJECTED = ("OutOf", "NodeAffinity", "UnexpectedAdmissionError", "TopologyAffinityError")
"""How the reasons begin for which a kubelet rejects a Pod. Source: Kubernetes, pkg/kubelet/lifecycle/predicate.go."""

_SHUTDOWN = ("NodeShutdown", "Terminated")
"""Reasons of Pods that ended with their node. Source: Kubernetes, pkg/kubelet/nodeshutdown."""

_REPLACED = "wait for its replacement"


def failure(status: PodStatus, spec: MyResourceSpec) -> Cause | None:
    """Return why a Pod with this *status* failed as a whole; None if its containers tell."""
    reason = status.reason or ""
    if reason == "Evicted":
        return Cause(EVICTED, _evicted(status.message or "", spec))
    if reason in _SHUTDOWN:
        return Cause(EVICTED, {"why": "its node was shut down", "remedy": _REPLACED})
    if reason == "Preempting":
        return Cause(PREEMPTED, _preempted(spec))
    return Cause(POD_REJECTED, _rejected(reason)) if reason.startswith(_REJECTED) else None


def removal(reason: str, spec: MyResourceSpec) -> Cause | None:
    """Return why a Pod is being deleted, by the *reason* of its condition DisruptionTarget; None if another tells."""
    if reason == "PreemptionByScheduler":
        return Cause(PREEMPTED, _preempted(spec))
    if reason == "EvictionByEvictionAPI":
        return Cause(EVICTED, {"why": "a client asked for it, as kubectl drain does", "remedy": _REPLACED})
    if reason == "DeletionByTaintManager":
        return Cause(EVICTED, {"why": "its node has a taint that it does not tolerate", "remedy": _REPLACED})
    return None


def _evicted(message: str, spec: MyResourceSpec) -> Words:
    """Return the words for a Pod that the kubelet evicted, of which it says *message*."""
    if found := _EMPTY_DIR.match(message):
        return _too_large(found["name"], spec)
    if _OVER_LIMIT.match(message):
        limits = (spec.resources and spec.resources.limits) or {}
        verb = "raise" if _STORAGE in limits else "set"
        remedy = f"{verb} spec.resources.limits.{_STORAGE}, or write less"
        return {"why": "it exceeded its limit of ephemeral storage", "remedy": remedy}
    if found := _LOW.match(message):
        return {"why": f"its node is low on {_RESOURCES[found['what']]}", "remedy": "free some there, or add nodes"}
    return {"why": "its node could not keep it", "remedy": "look at the events of the node"}


def _too_large(name: str, spec: MyResourceSpec) -> Words:
    """Return the words for an emptyDir volume that exceeded its limit; it is named if it is one of *spec*."""
    own = any(volume.name == name and volume.empty_dir for volume in spec.volumes or [])
    remedy = "raise its emptyDir.sizeLimit in spec.volumes, or write less" if own else "ask whoever adds it to the Pods"
    return {"why": f"{f'volume {name}' if own else 'a volume'} exceeded its size limit", "remedy": remedy}


def _preempted(spec: MyResourceSpec) -> Words:
    if spec.priority_class_name:
        return {"remedy": "name a higher class in spec.priorityClassName, or add nodes"}
    return {"remedy": "set spec.priorityClassName, or add nodes"}


def _rejected(reason: str) -> Words:
    if reason.startswith("OutOf"):
        return {"why": "it has no room left for the Pod"}
    return {"why": "the Pod does not fit it any more"}
