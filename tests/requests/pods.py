"""Pods for tests: each as a kubelet or the scheduler describes it."""

from datetime import timedelta
from typing import Any

from metahook.protocol.request_builder import Grouped
from tests.requests.builders import EARLIER_TEXT, NOW, NOW_TEXT, condition, finished, my_resource, sync

Json = dict[str, Any]

NEW = "5d8f7c6b9"
"""The pod-template-hash of the newest ReplicaSet."""


def ago(seconds: float) -> str:
    """Return the time so many *seconds* before now."""
    return (NOW - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def waiting(reason: str, message: str = "") -> Json:
    """Return the state of a container that waits."""
    return {"waiting": {"reason": reason, "message": message}}


def running(seconds: float = 3) -> Json:
    """Return the state of a container that has run for so many *seconds*."""
    return {"running": {"startedAt": ago(seconds)}}


def ended(code: int, reason: str = "Error", *, ran: float = 1) -> Json:
    """Return the state of a container that ended after it *ran* for so many seconds."""
    times = {"startedAt": ago(ran), "finishedAt": NOW_TEXT}
    return {"terminated": {"exitCode": code, "reason": reason, **times}}


def container(
    name: str = "main", state: Json | None = None, last: Json | None = None, *, restarts: int = 0, **fields: Any
) -> Json:
    """Return the status of a container that is not ready."""
    return {
        "name": name,
        "ready": False,
        "started": state is not None and "running" in state,
        "restartCount": restarts,
        "state": state or {},
        "lastState": last or {},
        **fields,
    }


def crashing(code: int = 1, reason: str = "Error", **fields: Any) -> Json:
    """Return the status of a container that ended and waits for its next start."""
    return container(state=waiting("CrashLoopBackOff"), last=ended(code, reason), **{"restarts": 3, **fields})


HEALTHY = container(state=running(3000), ready=True)


def pod(
    *containers: Json,
    name: str = "a",
    mark: str = NEW,
    made: str = EARLIER_TEXT,
    owner: str = "web-deployment",
    image: str | None = None,
    init: tuple[Json, ...] = (),
    sidecars: tuple[str, ...] = (),
    status: Json | None = None,
    **metadata: Any,
) -> Json:
    """Return a Pod of the ReplicaSet with this *mark* of the Deployment *owner*; some of *init* are *sidecars*."""
    maker = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"{owner}-{mark}", "uid": mark, "controller": True}
    said: Json = {"phase": "Running", "containerStatuses": list(containers), "initContainerStatuses": list(init)}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "default",
            "labels": {"myresource": "web", "pod-template-hash": mark},
            "creationTimestamp": made,
            "ownerReferences": [maker],
            **metadata,
        },
        "spec": {
            "containers": [{"name": "main", "image": image}],
            "initContainers": [{"name": sidecar, "restartPolicy": "Always"} for sidecar in sidecars],
        },
        "status": said if status is None else status,
    }


UNSCHEDULABLE = pod(
    status={
        "phase": "Pending",
        "conditions": [
            {
                "type": "PodScheduled",
                "status": "False",
                "reason": "Unschedulable",
                "message": "0/3 nodes are available: 3 Insufficient memory.",
            }
        ],
    }
)


def failed(reason: str | None, message: str = "", *, seconds: float = 5, lived: float = 60, mark: str = NEW) -> Json:
    """Return a Pod that failed as a whole so many *seconds* ago."""
    conditions = [{"type": "Ready", "status": "False", "reason": "PodFailed", "lastTransitionTime": ago(seconds)}]
    why = {"reason": reason, "message": message} if reason else {}
    status = {"phase": "Failed", "conditions": conditions, **why}
    return pod(name=f"failed-{seconds}", mark=mark, made=ago(seconds + lived), status=status)


def deleted(reason: str | None) -> Json:
    """Return a Pod that is being deleted for this *reason*."""
    target = {"type": "DisruptionTarget", "status": "True", "reason": reason, "lastTransitionTime": ago(5)}
    status = {"phase": "Running", "containerStatuses": [HEALTHY], "conditions": [target] if reason else []}
    return pod(name="deleted", status=status, deletionTimestamp=ago(-25))


LOST = pod(
    status={
        "phase": "Running",
        "containerStatuses": [HEALTHY],
        "conditions": [{"type": "Ready", "status": "False"}, {"type": "ContainersReady", "status": "True"}],
    }
)
"""A Pod whose node does not respond."""


def shown(*pods: Json) -> Grouped:
    """Return *pods* as related objects."""
    return {"Pod.v1": {f"default/{number}": item for number, item in enumerate(pods)}}


def unfinished(parent: Json, **status: Any) -> Json:
    """Return the Deployment of *parent*, in a rollout with one new Pod."""
    deployment = next(item for item in finished(parent) if item["kind"] == "Deployment")
    counts = {"replicas": 1, "updatedReplicas": 1, "readyReplicas": 0, "availableReplicas": 0, "conditions": []}
    return {**deployment, "status": {**deployment["status"], **counts, **status}}


def answered(*pods: Json, status: Json | None = None, **spec: Any) -> Json:
    """Return the answer for a MyResource in whose rollout there are these *pods*."""
    parent = my_resource(**spec)
    deployment = unfinished(parent, **{"updatedReplicas": len(pods), **(status or {})})
    return sync(parent, deployment, related=shown(*pods))


def said(*pods: Json, **spec: Any) -> tuple[str, str]:
    """Return reason and message of the condition Ready."""
    ready = condition(answered(*pods, **spec))
    return ready["reason"], ready["message"]
