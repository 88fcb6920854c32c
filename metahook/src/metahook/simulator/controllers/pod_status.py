"""The statuses of a Pod, as a kubelet or the scheduler writes them after the previous one."""

from metahook.simulator.clock import Clock
from metahook.simulator.objects import Json

_SIGKILL = 137


def is_ready(pod: Json) -> bool:
    return ready_condition(pod).get("status") == "True"


def ready_condition(pod: Json) -> Json:
    """Return the condition Ready of *pod*, or an empty one."""
    conditions: list[Json] = pod.get("status", {}).get("conditions", [])
    return next((item for item in conditions if item["type"] == "Ready"), {})


def has_run(pod: Json) -> bool:
    return bool(pod.get("status", {}).get("phase") == "Running")


def has_probe(pod: Json) -> bool:
    """Tell whether *pod* has a readiness probe; without one it is ready as soon as it runs."""
    return any("readinessProbe" in container for container in pod["spec"]["containers"])


def unscheduled(pod: Json, clock: Clock, why: str) -> Json:
    """Return the status of a Pod that fits on no node."""
    message = f"0/3 nodes are available: {why}."
    refusal = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    observed = _observed_condition(pod, "PodScheduled")
    return {"phase": "Pending", "conditions": [{**refusal, "lastTransitionTime": _since("False", observed, clock)}]}


def creating(pod: Json, clock: Clock) -> Json:
    """Return the status of a scheduled Pod whose containers are being created."""
    return _status(pod, clock, "Pending", {"waiting": {"reason": "ContainerCreating"}})


def running(pod: Json, clock: Clock) -> Json:
    """Return the status of a Pod whose containers run and are not ready."""
    return _status(pod, clock, "Running", {"running": {"startedAt": clock.stamp()}})


def ready(pod: Json, clock: Clock) -> Json:
    """Return the status of a Pod whose containers run and are ready."""
    return _status(pod, clock, "Running", {"running": {"startedAt": clock.stamp()}}, ready=True)


def no_image(pod: Json, clock: Clock) -> Json:
    """Return the status of a Pod right after a failed pull of its image."""
    message = f"failed to pull and unpack image {_image(pod)!r}: not found"
    return _status(pod, clock, "Pending", {"waiting": {"reason": "ErrImagePull", "message": message}})


def no_image_for_now(pod: Json, clock: Clock) -> Json:
    """Return the status of a Pod that waits before the next pull of its image."""
    message = f'Back-off pulling image "{_image(pod)}"'
    return _status(pod, clock, "Pending", {"waiting": {"reason": "ImagePullBackOff", "message": message}})


def misconfigured(pod: Json, clock: Clock, messages: dict[str, str]) -> Json:
    """Return the status of a Pod with containers that can't be created; *messages* say why, by the names of these.

    All containers wait for an init container, and so do the init containers after it.
    """
    inits, containers = pod["spec"].get("initContainers") or [], pod["spec"]["containers"]
    first = next((number for number, item in enumerate(inits) if item["name"] in messages), None)
    if first is None:
        running = {"running": {"startedAt": clock.stamp()}}
        status = _status(pod, clock, "Pending", running)
        states = [
            _unconfigured(messages[name]) if (name := item["name"]) in messages else running for item in containers
        ]
        return {**status, "containerStatuses": _containers(containers, states)}
    before = [_initialized(item, clock) for item in inits[:first]]
    waiting = [_unconfigured(messages[inits[first]["name"]]), *(_INITIALIZING for _ in inits[first + 1 :])]
    status = _status(pod, clock, "Pending", _INITIALIZING)
    conditions = [{**item, "status": str(item["type"] == "PodScheduled")} for item in status["conditions"]]
    return {**status, "conditions": conditions, "initContainerStatuses": _containers(inits, [*before, *waiting])}


def _containers(containers: list[Json], states: list[Json]) -> list[Json]:
    return [_container(item, {}, state, ready=False) for item, state in zip(containers, states, strict=True)]


_INITIALIZING: Json = {"waiting": {"reason": "PodInitializing"}}


def _unconfigured(message: str) -> Json:
    return {"waiting": {"reason": "CreateContainerConfigError", "message": message}}


def _initialized(init: Json, clock: Clock) -> Json:
    """Return the state of an init container that no longer keeps others waiting."""
    if init.get("restartPolicy") == "Always":
        return {"running": {"startedAt": clock.stamp()}}
    return {"terminated": {"exitCode": 0, "reason": "Completed", "finishedAt": clock.stamp()}}


def ended(pod: Json, clock: Clock, *, oom: bool) -> Json:
    """Return the status of a Pod whose container has exited."""
    end = {"exitCode": _SIGKILL, "reason": "OOMKilled"} if oom else {"exitCode": 1, "reason": "Error"}
    return _status(pod, clock, "Running", {"terminated": {**end, "finishedAt": clock.stamp()}})


def backing_off(pod: Json, clock: Clock) -> Json:
    """Return the status of a Pod that waits before it restarts its container."""
    waiting = {"reason": "CrashLoopBackOff", "message": "back-off restarting failed container"}
    return _status(pod, clock, "Running", {"waiting": waiting})


def evicted(pod: Json, clock: Clock) -> Json:
    """Return the status of a Pod that the kubelet evicted because a volume exceeded its limit."""
    end = {"exitCode": _SIGKILL, "reason": "Error", "finishedAt": clock.stamp()}
    status = _status(pod, clock, "Failed", {"terminated": end})
    reason = {"reason": "Evicted", "message": 'Usage of EmptyDir volume "data" exceeds the limit "4Mi". '}
    return {**status, **reason}


def lost(pod: Json, clock: Clock) -> Json:
    """Return the status of a Pod on a node that does not respond: the node controller only sets Ready to False."""
    conditions = [
        _condition("Ready", "False", pod, clock) if item["type"] == "Ready" else item
        for item in pod["status"].get("conditions", [])
    ]
    return {**pod["status"], "conditions": conditions}


def has_failed(pod: Json) -> bool:
    """Tell whether *pod* has failed as a whole; it stays listed, and its ReplicaSet replaces it."""
    return bool(pod.get("status", {}).get("phase") == "Failed")


def _image(pod: Json) -> str:
    image: str = pod["spec"]["containers"][0]["image"]
    return image


def missing_key(pod: Json) -> str:
    """Return a kubelet's message about the first key that a variable uses, as if the key did not exist."""
    for variable in pod["spec"]["containers"][0].get("env", []):
        for source, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
            if key := variable.get("valueFrom", {}).get(source):
                return f"couldn't find key {key['key']} in {kind} {pod['metadata']['namespace']}/{key['name']}"
    return "container has runAsNonRoot and image will run as root"


def _status(pod: Json, clock: Clock, phase: str, state: Json, *, ready: bool = False) -> Json:
    conditions = {"PodScheduled": True, "Initialized": True, "ContainersReady": ready, "Ready": ready}
    before = {item["name"]: item for item in pod.get("status", {}).get("containerStatuses", [])}
    return {
        "phase": phase,
        "conditions": [_condition(kind, str(value), pod, clock) for kind, value in conditions.items()],
        "containerStatuses": [
            _container(item, before.get(item["name"], {}), state, ready=ready) for item in pod["spec"]["containers"]
        ],
    }


def _container(container: Json, before: Json, state: Json, *, ready: bool) -> Json:
    """Return the status of *container*; running again after it exited counts as a restart."""
    old: Json = before.get("state", {})
    end = {"terminated": old["terminated"]} if "terminated" in old else before.get("lastState", {})
    is_restart = "running" in state and "running" not in old and bool(end)
    return {
        "name": container["name"],
        "image": container["image"],
        "ready": ready,
        "started": "running" in state,
        "restartCount": before.get("restartCount", 0) + is_restart,
        "state": old if "running" in state and "running" in old else state,
        "lastState": end,
    }


def _condition(kind: str, status: str, pod: Json, clock: Clock) -> Json:
    return {"type": kind, "status": status, "lastTransitionTime": _since(status, _observed_condition(pod, kind), clock)}


def _observed_condition(pod: Json, kind: str) -> Json:
    conditions: list[Json] = pod.get("status", {}).get("conditions", [])
    return next((item for item in conditions if item["type"] == kind), {})


def _since(status: str, observed: Json, clock: Clock) -> str:
    """Return the lastTransitionTime of a condition with this *status*."""
    return str(observed["lastTransitionTime"]) if observed.get("status") == status else clock.stamp()
