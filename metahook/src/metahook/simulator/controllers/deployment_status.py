"""The status of a Deployment.

Source: Kubernetes, pkg/controller/deployment/progress.go and sync.go.
"""

from metahook.simulator.clock import Clock
from metahook.simulator.controllers.rollout import PodCounts, surge_and_unavailable
from metahook.simulator.objects import Json


def status_of(
    deployment: Json, new: PodCounts | None, old: list[PodCounts], failure: Json | None, clock: Clock
) -> Json:
    """Return the status of *deployment* with its ReplicaSets *new* and *old*; *failure* is its ReplicaFailure."""
    sets = [*([new] if new else []), *old]
    counts = {
        "replicas": sum(replica_set.replicas for replica_set in sets),
        "updatedReplicas": new.replicas if new else 0,
        "readyReplicas": sum(replica_set.ready for replica_set in sets),
        "availableReplicas": sum(replica_set.available for replica_set in sets),
    }
    missing = max(0, sum(replica_set.desired for replica_set in sets) - counts["availableReplicas"])
    found = {
        "observedGeneration": deployment["metadata"]["generation"],
        **{name: count for name, count in {**counts, "unavailableReplicas": missing}.items() if count},
    }
    conditions = [_available(deployment, counts), _progressing(deployment, new, counts, clock), failure]
    return {**found, "conditions": [_with_times(item, deployment, clock) for item in conditions if item]}


def deadline(deployment: Json, clock: Clock) -> float | None:
    """Return the seconds until the progress deadline of *deployment*, or None if no rollout is in progress."""
    observed = condition_of(deployment, "Progressing")
    if observed is None or observed["status"] != "True" or observed["reason"] == "NewReplicaSetAvailable":
        return None
    left: float = deployment["spec"]["progressDeadlineSeconds"] - clock.since(observed["lastUpdateTime"])
    return max(left, 0.0) + 1


def condition_of(deployment: Json, kind: str) -> Json | None:
    """Return the condition of type *kind* that *deployment* has, or None."""
    conditions: list[Json] = deployment.get("status", {}).get("conditions", [])
    return next((item for item in conditions if item["type"] == kind), None)


def _available(deployment: Json, counts: dict[str, int]) -> Json:
    if counts["availableReplicas"] >= deployment["spec"]["replicas"] - surge_and_unavailable(deployment["spec"])[1]:
        return _condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    return _condition(
        "Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability."
    )


def _progressing(deployment: Json, new: PodCounts | None, counts: dict[str, int], clock: Clock) -> Json | None:
    observed = condition_of(deployment, "Progressing")
    desired = deployment["spec"]["replicas"]
    if deployment["spec"].get("paused"):
        is_late = observed is not None and observed["reason"] == "ProgressDeadlineExceeded"
        return observed if is_late else _condition("Progressing", "Unknown", "DeploymentPaused", "Deployment is paused")
    if new and all(counts[name] == desired for name in ("replicas", "updatedReplicas", "availableReplicas")):
        return _condition("Progressing", "True", "NewReplicaSetAvailable", f'ReplicaSet "{new.name}" has progressed.')
    if observed is None or not new or observed["status"] == "Unknown":
        return _condition("Progressing", "True", "NewReplicaSetCreated", "Created new replica set")
    return _progress(deployment, observed, new, counts, clock)


def _progress(deployment: Json, observed: Json, new: PodCounts, counts: dict[str, int], clock: Clock) -> Json:
    """Return the condition Progressing of the rollout to *new*; scaling after a rollout is not a rollout."""
    is_finished = observed["reason"] == "NewReplicaSetAvailable"
    if is_finished and counts["updatedReplicas"] == counts["replicas"] and new.name in observed["message"]:
        return observed
    if is_finished or _has_progressed(deployment.get("status", {}), counts):
        message = f'ReplicaSet "{new.name}" is progressing.'
        return {**_condition("Progressing", "True", "ReplicaSetUpdated", message), "lastUpdateTime": clock.stamp()}
    if clock.since(observed["lastUpdateTime"]) >= deployment["spec"]["progressDeadlineSeconds"]:
        message = f'ReplicaSet "{new.name}" has timed out progressing.'
        return _condition("Progressing", "False", "ProgressDeadlineExceeded", message)
    return observed


def _has_progressed(status: Json, counts: dict[str, int]) -> bool:
    """Tell whether the rollout has progressed since *status* was written."""
    before = {name: int(status.get(name, 0)) for name in counts}
    return (
        counts["updatedReplicas"] > before["updatedReplicas"]
        or counts["replicas"] - counts["updatedReplicas"] < before["replicas"] - before["updatedReplicas"]
        or counts["readyReplicas"] > before["readyReplicas"]
        or counts["availableReplicas"] > before["availableReplicas"]
    )


def _condition(kind: str, status: str, reason: str, message: str) -> Json:
    return {"type": kind, "status": status, "reason": reason, "message": message}


def _with_times(new: Json, deployment: Json, clock: Clock) -> Json:
    """Return the condition *new* with its times, which stay those of the existing condition while it is the same."""
    observed = condition_of(deployment, new["type"])
    if observed is None:
        return {"lastUpdateTime": clock.stamp(), "lastTransitionTime": clock.stamp(), **new}
    is_same = (observed["status"], observed["reason"]) == (new["status"], new["reason"])
    since = observed["lastTransitionTime"] if observed["status"] == new["status"] else clock.stamp()
    return {
        "lastUpdateTime": observed["lastUpdateTime"] if is_same else clock.stamp(),
        **new,
        "lastTransitionTime": since,
    }
