"""An emulated kubelet, as there are no nodes: sets the status of each Pod according to a word in its image.

``bad`` can't be pulled, ``crash`` exits with an error, ``oom`` is OOM killed, ``slow`` never starts; others run.
"""

import queue
import threading
import time
from datetime import UTC, datetime
from typing import Any

import httpx

from metahook.envtest.client import Client, Refused
from metahook.simulator.objects import Json, Key
from tests.e2e.record import Record, Version

_LONG_AGO = "2026-01-01T00:00:00Z"

_WAITING = {
    "bad": ("ImagePullBackOff", {}),
    "crash": ("CrashLoopBackOff", {"exitCode": 1, "reason": "Error"}),
    "oom": ("CrashLoopBackOff", {"exitCode": 137, "reason": "OOMKilled"}),
}


class Kubelet(threading.Thread):
    """Writes the status of every new Pod in the record."""

    def __init__(self, client: Client, record: Record) -> None:
        super().__init__(name="kubelet", daemon=True)
        self._client = client
        self._pods: queue.SimpleQueue[Json | None] = queue.SimpleQueue()
        record.listeners.append(self._seen)

    def _seen(self, key: Key, version: Version) -> None:
        metadata = version.item["metadata"]
        if key.kind == "Pod" and not version.deleted and "deletionTimestamp" not in metadata:
            self._pods.put(version.item)

    def run(self) -> None:
        """Write statuses until the queue yields None."""
        while (pod := self._pods.get()) is not None:
            fate = next((word for word in ("slow", *_WAITING) if word in _main(pod)["image"]), None)
            if fate != "slow" and "containerStatuses" not in pod.get("status", {}):
                self._write(
                    pod, status(pod, fate, datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
                )

    def stop(self) -> None:
        """Finish the queue and stop."""
        self._pods.put(None)
        self.join()

    def _write(self, pod: Json, change: Json) -> None:
        metadata = pod["metadata"]
        try:
            self._client.change("Pod", metadata["namespace"], metadata["name"], {"status": change}, part="/status")
        except httpx.TransportError:  # the API server is down
            time.sleep(0.1)
            self._pods.put(pod)
        except Refused as refused:
            if refused.status >= 500 or refused.status == httpx.codes.FORBIDDEN:  # the API server is still starting
                self._pods.put(pod)


def status(pod: Json, fate: str | None, now: str = _LONG_AGO) -> Json:
    """Return the status of *pod*, whose main container has this *fate* since *now*."""
    well = fate is None
    types = {"Initialized": True, "PodScheduled": True, "ContainersReady": well, "Ready": well}
    return {
        "phase": "Pending" if fate == "bad" else "Running",
        "podIP": "127.0.0.1",
        "podIPs": [{"ip": "127.0.0.1"}],
        "startTime": now,
        "conditions": [
            {"type": name, "status": str(holds), "lastTransitionTime": now} for name, holds in types.items()
        ],
        "containerStatuses": [_container(item, fate, now) for item in pod["spec"]["containers"]],
    }


def _container(item: Json, fate: str | None, now: str) -> Json:
    state: Json = {"running": {"startedAt": now}}
    last: Json = {}
    if fate is not None:
        reason, end = _WAITING[fate]
        state = {"waiting": {"reason": reason, "message": "Back-off"}}
        last = {"terminated": {**end, "startedAt": now, "finishedAt": now}} if end else {}
    names = {"name": item["name"], "image": item["image"], "imageID": ""}
    counts = {"ready": fate is None, "started": fate is None, "restartCount": 3 if last else 0}
    return {**names, **counts, "state": state, "lastState": last}


def _main(pod: Json) -> dict[str, Any]:
    containers: list[dict[str, Any]] = pod["spec"]["containers"]
    return next((item for item in containers if item["name"] == "main"), containers[0])
