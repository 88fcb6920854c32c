"""Measures a sync with a thousand Pods: ``make bench``. Prints ratios of CPU times, which any machine can compare.

The request contains Pods as a real API server returns them, with their specs, volumes and managed fields. They belong
to the current rollout and are not ready, so the hook reads all of them.
"""

import json
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import msgspec

from metahook.protocol.sender import sync_request
from tests.build import MYRESOURCE, NOW, my_resource
from tests.pods import container, crashing, ended, pod, running, shown, unfinished, waiting

Json = dict[str, Any]

PODS = 1000
ROUNDS = 15
MAX_RESPONSE = 16 * 1024
"""Maximum size of the response in bytes."""
MAX_RATIO = 1.0
"""Maximum CPU time of a sync, relative to parsing the request with the standard library."""

STATES = {
    "all crash": crashing,
    "images can't be pulled": lambda: container(state=waiting("ImagePullBackOff", 'Back-off pulling image "nginx"')),
    "killed, and running again": lambda: container(state=running(), last=ended(137, "OOMKilled"), restarts=3),
    "probes fail": lambda: container(state=running(900)),
    "just started": lambda: container(state=running(1)),
    "ready": lambda: container(state=running(3000), ready=True),
}


def with_all_fields(small: Json, number: int) -> Json:
    """Return the Pod *small* with the fields that a real Pod also has, about 4 KiB."""
    mount = {"name": "tmp", "mountPath": "/tmp", "recursiveReadOnly": "Disabled"}  # noqa: S108 - in a container
    env = [{"name": f"VARIABLE_{each}", "value": "some value"} for each in range(10)]
    main = {"name": "main", "image": "nginx:1.27", "env": env, "volumeMounts": [mount], "imagePullPolicy": "Always"}
    spec = {
        "containers": [main],
        "nodeName": f"node-{number % 50}",
        "tolerations": [{"key": "a", "effect": "NoExecute"}],
    }
    fields: Json = {f"f:field-{each}": {".": {}, "f:inner": {}} for each in range(40)}
    entries = [{"manager": name, "operation": "Update", "fieldsV1": fields} for name in ("controller", "kubelet")]
    types = ("Initialized", "Ready", "ContainersReady", "PodScheduled")
    conditions = [{"type": each, "status": "False", "lastTransitionTime": "2026-01-31T12:00:00Z"} for each in types]
    return {
        **small,
        "metadata": {**small["metadata"], "name": f"web-deployment-{number}", "managedFields": entries},
        "spec": spec,
        "status": {**small["status"], "conditions": conditions, "podIP": "10.0.0.1", "qosClass": "Burstable"},
    }


def request(container_status: Callable[[], Json]) -> bytes:
    """Return a sync request whose Pods have this container status."""
    parent = my_resource(replicas=PODS, readinessProbe={"httpGet": {"port": 80}})
    deployment = unfinished(parent, replicas=PODS, updatedReplicas=PODS)
    pods = shown(*(with_all_fields(pod(container_status()), number) for number in range(PODS)))
    return sync_request(parent, {"Deployment.apps/v1": {"a": deployment}, "Service.v1": {}}, pods)


def cpu(call: Callable[[], object]) -> float:
    """Return the CPU seconds of a call."""
    start = time.process_time()
    call()
    return time.process_time() - start


def ratios(body: bytes) -> tuple[float, float]:
    """Return the CPU time of a sync relative to parsing the request with json, and with msgspec."""
    rounds = [
        [
            cpu(lambda: MYRESOURCE.answer_sync(body, NOW)),
            cpu(lambda: json.loads(body)),
            cpu(lambda: msgspec.json.decode(body)),
        ]
        for _ in range(ROUNDS)
    ]
    return median(each[0] / each[1] for each in rounds), median(each[0] / each[2] for each in rounds)


def main() -> int:
    """Print a line for each state of the Pods; return 1 if a sync exceeds a limit."""
    print(f"{PODS} Pods that are        request  response  CPU / json   CPU / msgspec")
    within = True
    for name, container_status in STATES.items():
        body = request(container_status)
        size = len(MYRESOURCE.answer_sync(body, NOW))
        by_json, by_msgspec = ratios(body)
        within = within and size <= MAX_RESPONSE and by_json <= MAX_RATIO
        print(f"{name:26} {len(body) / 2**20:4.1f} MiB {size / 1024:4.1f} KiB {by_json:10.2f} {by_msgspec:14.2f}")
    print(f"{'within' if within else 'NOT within'} the limits of {MAX_RESPONSE // 1024} KiB and {MAX_RATIO} times json")
    return 0 if within else 1


if __name__ == "__main__":
    raise SystemExit(main())
