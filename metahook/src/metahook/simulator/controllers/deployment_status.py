"""What a Deployment's status says of a rollout.

Source: Kubernetes, pkg/controller/deployment/progress.go and sync.go.
"""

from metahook.simulator.clock import Clock
from metahook.simulator.controllers.rollout import Set, bounds
from metahook.simulator.objects import Json


def status_of(deployment: Json, new: Set | None, old: list[Set], failure: Json | None, clock: Clock) -> Json:
    """Return the status of *deployment*, whose ReplicaSets are *new* and *old*; *failure* is why Pods can't be made."""
    sets = [*([new] if new else []), *old]
    counts = {
        "replicas": sum(each.there for each in sets),
        "updatedReplicas": new.there if new else 0,
        "readyReplicas": sum(each.ready for each in sets),
        "availableReplicas": sum(each.available for each in sets),
    }
    missing = max(0, sum(each.asked for each in sets) - counts["availableReplicas"])
    found = {
        "observedGeneration": deployment["metadata"]["generation"],
        **{name: count for name, count in {**counts, "unavailableReplicas": missing}.items() if count},
    }
    conditions = [_available(deployment, counts), _progressing(deployment, new, counts, clock), failure]
    return {**found, "conditions": [_dated(item, deployment, clock) for item in conditions if item]}


def deadline(deployment: Json, clock: Clock) -> float | None:
    """Return in how many seconds the rollout of *deployment* counts as stuck, or None if nothing is awaited."""
    seen = condition_of(deployment, "Progressing")
    if seen is None or seen["status"] != "True" or seen["reason"] == "NewReplicaSetAvailable":
        return None
    left: float = deployment["spec"]["progressDeadlineSeconds"] - clock.since(seen["lastUpdateTime"])
    return max(left, 0.0) + 1


def condition_of(deployment: Json, kind: str) -> Json | None:
    """Return the condition of type *kind* that *deployment* has, or None."""
    conditions: list[Json] = deployment.get("status", {}).get("conditions", [])
    return next((item for item in conditions if item["type"] == kind), None)


def _available(deployment: Json, counts: dict[str, int]) -> Json:
    if counts["availableReplicas"] >= deployment["spec"]["replicas"] - bounds(deployment["spec"])[1]:
        return _made("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    return _made("Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")


def _progressing(deployment: Json, new: Set | None, counts: dict[str, int], clock: Clock) -> Json | None:
    seen = condition_of(deployment, "Progressing")
    asked = deployment["spec"]["replicas"]
    if deployment["spec"].get("paused"):
        is_late = seen is not None and seen["reason"] == "ProgressDeadlineExceeded"
        return seen if is_late else _made("Progressing", "Unknown", "DeploymentPaused", "Deployment is paused")
    if new and all(counts[name] == asked for name in ("replicas", "updatedReplicas", "availableReplicas")):
        return _made("Progressing", "True", "NewReplicaSetAvailable", f'ReplicaSet "{new.name}" has progressed.')
    if seen is None or not new or seen["status"] == "Unknown":
        return _made("Progressing", "True", "NewReplicaSetCreated", "Created new replica set")
    return _rolling(deployment, seen, new, counts, clock)


def _rolling(deployment: Json, seen: Json, new: Set, counts: dict[str, int], clock: Clock) -> Json:
    """Return what the rollout to *new* is: it moves, it is late, or neither. Scaling what is finished is no rollout."""
    finished = seen["reason"] == "NewReplicaSetAvailable"
    if finished and counts["updatedReplicas"] == counts["replicas"] and new.name in seen["message"]:
        return seen
    if finished or _moved(deployment.get("status", {}), counts):
        message = f'ReplicaSet "{new.name}" is progressing.'
        return {**_made("Progressing", "True", "ReplicaSetUpdated", message), "lastUpdateTime": clock.stamp()}
    if clock.since(seen["lastUpdateTime"]) >= deployment["spec"]["progressDeadlineSeconds"]:
        message = f'ReplicaSet "{new.name}" has timed out progressing.'
        return _made("Progressing", "False", "ProgressDeadlineExceeded", message)
    return seen


def _moved(status: Json, counts: dict[str, int]) -> bool:
    """Tell whether the rollout has come closer to its end since *status* was written."""
    before = {name: int(status.get(name, 0)) for name in counts}
    return (
        counts["updatedReplicas"] > before["updatedReplicas"]
        or counts["replicas"] - counts["updatedReplicas"] < before["replicas"] - before["updatedReplicas"]
        or counts["readyReplicas"] > before["readyReplicas"]
        or counts["availableReplicas"] > before["availableReplicas"]
    )


def _made(kind: str, status: str, reason: str, message: str) -> Json:
    return {"type": kind, "status": status, "reason": reason, "message": message}


def _dated(new: Json, deployment: Json, clock: Clock) -> Json:
    """Return the condition *new* with its times: those of the one that is there, as far as it says the same."""
    seen = condition_of(deployment, new["type"])
    if seen is None:
        return {"lastUpdateTime": clock.stamp(), "lastTransitionTime": clock.stamp(), **new}
    same = (seen["status"], seen["reason"]) == (new["status"], new["reason"])
    since = seen["lastTransitionTime"] if seen["status"] == new["status"] else clock.stamp()
    return {"lastUpdateTime": seen["lastUpdateTime"] if same else clock.stamp(), **new, "lastTransitionTime": since}
