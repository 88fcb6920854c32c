"""An emulated kubelet for many Pods: each Pod runs as soon as it is created, until all are made to fail."""

import queue
import threading
import time
from contextlib import suppress
from typing import Any

import httpx

from bench.scale.watch import Event
from metahook.envtest.client import Client, Refused
from tests.e2e.kubelet import status

_WORKERS = 3


class Kubelet:
    """Writes the status of each Pod in the events that it receives."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._pods: dict[str, dict[str, Any]] = {}
        self._due: queue.SimpleQueue[tuple[dict[str, Any], str | None] | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(_WORKERS)]

    def start(self) -> None:
        """Start to write."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop, without the statuses that are still due."""
        with suppress(queue.Empty):
            while True:
                self._due.get_nowait()
        for _ in self._threads:
            self._due.put(None)
        for thread in self._threads:
            if thread.is_alive():
                thread.join()

    def receive(self, event: Event) -> None:
        """Let a new Pod run."""
        pod = event.object
        uid = pod["metadata"]["uid"]
        if event.type == "DELETED" or "deletionTimestamp" in pod["metadata"]:
            self._pods.pop(uid, None)
        elif uid not in self._pods:
            self._pods[uid] = pod
            self._due.put((pod, None))

    def fail_all(self) -> None:
        """Let the container of each Pod be OOM killed."""
        for pod in list(self._pods.values()):
            self._due.put((pod, "oom"))

    def _work(self) -> None:
        while (due := self._due.get()) is not None:
            self._write(*due)

    def _write(self, pod: dict[str, Any], fate: str | None) -> None:
        metadata = pod["metadata"]
        change = {"status": status(pod, fate, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))}
        with suppress(httpx.HTTPError, Refused):  # the Pod is deleted, or the run ends
            self._client.change("Pod", metadata["namespace"], metadata["name"], change, part="/status")
