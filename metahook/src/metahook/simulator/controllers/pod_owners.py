"""The controllers of ReplicaSets and StatefulSets.

That of ReplicaSets creates and deletes Pods, and counts those that exist, are ready and are available. The Pods of
StatefulSets are not simulated: they are ready a second after each change.

Source: Kubernetes, pkg/controller/statefulset/stateful_set_utils.go, ``completeRollingUpdate``.
"""

from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.clock import Clock
from metahook.simulator.controllers.delayed_queue import DelayedQueue, claim_matching
from metahook.simulator.controllers.pod_status import has_failed, is_ready, ready_condition
from metahook.simulator.history import Write
from metahook.simulator.objects import Json, Key, is_deleting, key_of, labels, reference_to

REPLICA_SETS = "replicaset-controller"

MAX_PODS = 500
"""Pods that fit in the cluster."""


class ReplicaSetController:
    """Reconciles ReplicaSets after changes of them and of their Pods."""

    def __init__(self, api: ApiServer, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._queue = DelayedQueue(clock, self._reconcile, delay=0.02)
        self._queue.watch(api, "ReplicaSet", owns="Pod")

    def _reconcile(self, key: Key) -> None:
        replica_set = self._api.get(key)
        if replica_set is None or is_deleting(replica_set):
            return
        all_pods = self._api.all("Pod")
        claimed = list(claim_matching(replica_set, all_pods, self._api, REPLICA_SETS))
        pods = [pod for pod in claimed if not is_deleting(pod) and not has_failed(pod)]
        surplus = len(pods) - replica_set["spec"]["replicas"]
        error = None
        if surplus > 0:
            for pod in sorted(pods, key=lambda pod: (is_ready(pod), -_age_rank(pod)))[:surplus]:
                self._api.delete(key_of(pod), REPLICA_SETS)
        else:
            error = self._create(replica_set, -surplus, MAX_PODS - len(all_pods))
        self._write_status(replica_set, pods, sum(map(is_deleting, claimed)), error)

    def _create(self, owner: Json, count: int, room: int) -> str | None:
        """Create *count* Pods, but at most *room*; return the error if not all were created."""
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
                self._api.create({**pod, "status": {"phase": "Pending"}}, REPLICA_SETS)
        except ApiError as refusal:
            return str(refusal)
        return f"exceeded quota: the simulated cluster has room for {MAX_PODS} Pods" if count > room else None

    def _write_status(self, replica_set: Json, pods: list[Json], terminating: int, error: str | None) -> None:
        ready = [pod for pod in pods if is_ready(pod)]
        available = [pod for pod in ready if self._is_available(pod, replica_set["spec"].get("minReadySeconds", 0))]
        own = (replica_set["spec"]["template"].get("metadata") or {}).get("labels") or {}
        labeled = [pod for pod in pods if own.items() <= labels(pod).items()]
        counts = {
            "fullyLabeledReplicas": len(labeled),
            "readyReplicas": len(ready),
            "availableReplicas": len(available),
        }
        failure = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": error}
        status = {
            "observedGeneration": replica_set["metadata"]["generation"],
            "replicas": len(pods),
            "terminatingReplicas": terminating,
            **{name: count for name, count in counts.items() if count},
            **({"conditions": [failure]} if error else {}),
        }
        self._api.update_status({**replica_set, "status": status}, REPLICA_SETS)
        if error:
            known = replica_set.get("status", {}).get("conditions") == [failure]
            self._queue.enqueue_after(key_of(replica_set), 30, idle=known)
        elif len(available) < len(ready):
            self._queue.enqueue_after(key_of(replica_set), 1)

    def _is_available(self, pod: Json, seconds: float) -> bool:
        """Tell whether *pod* has been ready for *seconds*."""
        return self._clock.since(ready_condition(pod)["lastTransitionTime"]) >= seconds


def _age_rank(pod: Json) -> int:
    return int(pod["metadata"]["uid"].replace("-", "")[:8], 16)


STATEFUL_SETS = "statefulset-controller"
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
            self._api.update_status({**found, "status": {**counts, "observedGeneration": generation}}, STATEFUL_SETS)
