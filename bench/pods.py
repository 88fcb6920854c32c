"""What a sync costs with a thousand Pods: ``make bench``. Ratios of CPU time in one run, so that any machine will do.

The request holds Pods as a real API server returns them, with their specs, volumes and managed fields; they are of the
current rollout and not ready, so all of them are read.
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
LARGEST = 16 * 1024
"""Bytes that the answer may have."""
MOST = 1.5
"""Times the CPU that the standard library takes to parse the request."""

STATES = {
    "all crash": crashing,
    "images can't be pulled": lambda: container(state=waiting("ImagePullBackOff", 'Back-off pulling image "nginx"')),
    "killed, and running again": lambda: container(state=running(), last=ended(137, "OOMKilled"), restarts=3),
    "probes fail": lambda: container(state=running(900)),
    "just started": lambda: container(state=running(1)),
    "ready": lambda: container(state=running(3000), ready=True),
}


def real(seen: Json, number: int) -> Json:
    """Return *seen* with what a Pod has besides, about 4 KiB."""
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
        **seen,
        "metadata": {**seen["metadata"], "name": f"web-deployment-{number}", "managedFields": entries},
        "spec": spec,
        "status": {**seen["status"], "conditions": conditions, "podIP": "10.0.0.1", "qosClass": "Burstable"},
    }


def request(made: Callable[[], Json]) -> bytes:
    """Return a sync request whose Pods have such a container."""
    parent = my_resource(replicas=PODS, readinessProbe={"httpGet": {"port": 80}})
    deployment = unfinished(parent, replicas=PODS, updatedReplicas=PODS)
    pods = shown(*(real(pod(made()), number) for number in range(PODS)))
    return sync_request(parent, {"Deployment.apps/v1": {"a": deployment}, "Service.v1": {}}, pods)


def cpu(does: Callable[[], object]) -> float:
    """Return how many seconds of CPU it takes."""
    start = time.process_time()
    does()
    return time.process_time() - start


def ratios(body: bytes) -> tuple[float, float]:
    """Return what an answer takes over what json takes, and over what msgspec takes, to parse the request."""
    rounds = [
        [cpu(lambda: MYRESOURCE.answer_sync(body, NOW)), cpu(lambda: json.loads(body)), cpu(lambda: decoded(body))]
        for _ in range(ROUNDS)
    ]
    return median(each[0] / each[1] for each in rounds), median(each[0] / each[2] for each in rounds)


def decoded(body: bytes) -> object:
    """Return all of *body*, read by msgspec."""
    return msgspec.json.decode(body)


def main() -> int:
    """Print a line for each kind of trouble; return 1 if one takes too much."""
    print(f"{PODS} Pods that are        request   answer   CPU / json   CPU / msgspec")
    right = True
    for name, made in STATES.items():
        body = request(made)
        size = len(MYRESOURCE.answer_sync(body, NOW))
        by_json, by_msgspec = ratios(body)
        right = right and size <= LARGEST and by_json <= MOST
        print(f"{name:26} {len(body) / 2**20:4.1f} MiB {size / 1024:4.1f} KiB {by_json:10.2f} {by_msgspec:14.2f}")
    print(f"{'within' if right else 'NOT within'} {LARGEST // 1024} KiB and {MOST} times json")
    return 0 if right else 1


if __name__ == "__main__":
    raise SystemExit(main())
