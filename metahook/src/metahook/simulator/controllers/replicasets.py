"""The ReplicaSet controller: as many Pods as are asked for, and how many of them are there, ready and available."""

from metahook.simulator.apiserver.rules import Refused
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.clock import Clock
from metahook.simulator.controllers.adoption import own
from metahook.simulator.controllers.pod_status import is_over, is_ready, ready_condition
from metahook.simulator.controllers.wake import Wake
from metahook.simulator.history import Write
from metahook.simulator.objects import Json, Key, deleting, key_of, reference_to

NAME = "replicaset-controller"

ROOM = 500
"""Pods that there is room for in the cluster."""


class ReplicaSets:
    """Reconciles ReplicaSets, a moment after they, or their Pods, changed."""

    def __init__(self, api: ApiServer, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._wake = Wake(clock, self._reconcile, late=0.02)
        api.watch(self._changed)

    def _changed(self, write: Write) -> None:
        item = write.after or write.before or {}
        if write.key.kind == "ReplicaSet":
            self._wake(write.key)
        elif write.key.kind == "Pod":
            for owner in item["metadata"].get("ownerReferences", []):
                self._wake(Key("ReplicaSet", write.key.namespace, owner["name"]))

    def _reconcile(self, key: Key) -> None:
        found = self._api.get(key)
        if found is None or deleting(found):
            return
        everybody = self._api.all("Pod")
        pods = [pod for pod in own(found, everybody, self._api, NAME) if not deleting(pod) and not is_over(pod)]
        surplus = len(pods) - found["spec"]["replicas"]
        refused = None
        if surplus > 0:
            for pod in sorted(pods, key=lambda pod: (is_ready(pod), -_born(pod)))[:surplus]:
                self._api.delete(key_of(pod), NAME)
        else:
            refused = self._create(found, -surplus, ROOM - len(everybody))
        self._write_status(found, pods, refused)

    def _create(self, owner: Json, count: int, room: int) -> str | None:
        """Make so many Pods, or as many as there is *room* for; return why not all were made, if so."""
        metadata, template = owner["metadata"], owner["spec"]["template"]
        own = {
            "generateName": f"{metadata['name']}-",
            "namespace": metadata["namespace"],
            "ownerReferences": [reference_to(owner)],
        }
        pod = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {**template.get("metadata", {}), **own},
            "spec": template["spec"],
        }
        try:
            for _ in range(min(count, room)):
                self._api.create({**pod, "status": {"phase": "Pending"}}, NAME)
        except Refused as refusal:
            return str(refusal)
        return f"exceeded quota: the simulated cluster has room for {ROOM} Pods" if count > room else None

    def _write_status(self, found: Json, pods: list[Json], refused: str | None) -> None:
        ready = [pod for pod in pods if is_ready(pod)]
        available = [pod for pod in ready if self._is_available(pod, found["spec"].get("minReadySeconds", 0))]
        counts = {"replicas": len(pods), "readyReplicas": len(ready), "availableReplicas": len(available)}
        failure = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": refused}
        status = {
            "observedGeneration": found["metadata"]["generation"],
            **counts,
            **({"conditions": [failure]} if refused else {}),
        }
        self._api.update_status({**found, "status": status}, NAME)
        if refused:
            self._wake.at(key_of(found), 30)
        elif len(available) < len(ready):
            self._wake.at(key_of(found), 1)

    def _is_available(self, pod: Json, seconds: float) -> bool:
        """Tell whether *pod* has been ready for *seconds*."""
        return self._clock.since(ready_condition(pod)["lastTransitionTime"]) >= seconds


def _born(pod: Json) -> int:
    return int(pod["metadata"]["uid"].replace("-", "")[:8], 16)
