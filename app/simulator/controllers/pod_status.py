"""What a Pod's status says, as a kubelet writes it."""

from app.simulator.clock import Clock
from app.simulator.objects import Json

_SIGKILL = 137


def is_ready(pod: Json) -> bool:
    """Tell whether *pod* is ready."""
    return ready_condition(pod).get("status") == "True"


def ready_condition(pod: Json) -> Json:
    """Return the condition Ready of *pod*, or an empty one."""
    conditions: list[Json] = pod.get("status", {}).get("conditions", [])
    return next((item for item in conditions if item["type"] == "Ready"), {})


def creating(pod: Json, clock: Clock) -> Json:
    """Return the status of a Pod that has a node, and whose containers are being made."""
    return _status(pod, clock, "Pending", {"waiting": {"reason": "ContainerCreating"}})


def running(pod: Json, clock: Clock) -> Json:
    """Return the status of a Pod whose containers run and are ready."""
    return _status(pod, clock, "Running", {"running": {"startedAt": clock.stamp()}}, ready=True)


def no_image(pod: Json, clock: Clock) -> Json:
    """Return the status of a Pod whose image can't be pulled."""
    image = pod["spec"]["containers"][0]["image"]
    waiting = {"reason": "ImagePullBackOff", "message": f'Back-off pulling image "{image}"'}
    return _status(pod, clock, "Pending", {"waiting": waiting})


def ended(pod: Json, clock: Clock, restarts: int, *, oom: bool) -> Json:
    """Return the status of a Pod whose container ended, after so many *restarts*, and waits for another."""
    how = {"exitCode": _SIGKILL, "reason": "OOMKilled"} if oom else {"exitCode": 1, "reason": "Error"}
    last = {"terminated": {**how, "startedAt": clock.stamp(), "finishedAt": clock.stamp()}}
    waiting = {"reason": "CrashLoopBackOff", "message": "back-off restarting failed container"}
    return _status(pod, clock, "Running", {"waiting": waiting}, last=last, restarts=restarts + 1)


def _status(  # noqa: PLR0913 - a status has so many parts
    pod: Json,
    clock: Clock,
    phase: str,
    state: Json,
    *,
    ready: bool = False,
    last: Json | None = None,
    restarts: int = 0,
) -> Json:
    seen = {item["type"]: item for item in pod.get("status", {}).get("conditions", [])}
    facts = {"PodScheduled": True, "Initialized": True, "ContainersReady": ready, "Ready": ready}
    containers = [
        {
            "name": container["name"],
            "image": container["image"],
            "ready": ready,
            "started": ready,
            "restartCount": restarts,
            "state": state,
            "lastState": last or {},
        }
        for container in pod["spec"]["containers"]
    ]
    return {
        "phase": phase,
        "conditions": [
            _condition(kind, "True" if fact else "False", seen.get(kind), clock) for kind, fact in facts.items()
        ],
        "containerStatuses": containers,
    }


def _condition(kind: str, status: str, seen: Json | None, clock: Clock) -> Json:
    same = seen is not None and seen["status"] == status
    return {
        "type": kind,
        "status": status,
        "lastTransitionTime": seen["lastTransitionTime"] if seen and same else clock.stamp(),
    }
