"""The status of StatefulSets: their Pods, which are not simulated, are ready a second after each change.

Source: Kubernetes, pkg/controller/statefulset/stateful_set_utils.go, ``completeRollingUpdate``.
"""

from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.clock import Clock
from metahook.simulator.history import Write
from metahook.simulator.objects import Key

NAME = "statefulset-controller"
DELAY = 1.0
"""Seconds."""

_COUNTS = ("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")


class StatefulSetController:
    """Reports that the Pods of each StatefulSet follow its spec."""

    def __init__(self, api: ApiServer, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        api.watch(self._on_write)

    def _on_write(self, write: Write) -> None:
        if write.key.kind == "StatefulSet" and write.after:
            self._clock.after(DELAY, lambda: self._report(write.key))

    def _report(self, key: Key) -> None:
        found = self._api.get(key)
        generation = found["metadata"]["generation"] if found else None
        if found and (found.get("status") or {}).get("observedGeneration") != generation:
            counts = dict.fromkeys(_COUNTS, found["spec"]["replicas"])
            self._api.update_status({**found, "status": {**counts, "observedGeneration": generation}}, NAME)
