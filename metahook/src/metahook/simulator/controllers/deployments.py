"""The controllers of Deployments: one ReplicaSet for each Pod template, resized step by step, and an autoscaler.

A HorizontalPodAutoscaler has minReplicas that are more than its Deployment has at first, so it needs no metrics.

Source: Kubernetes, pkg/controller/deployment: rolling.go and util/deployment_util.go for sizes, progress.go and sync.go
for the status; pkg/controller/podautoscaler/horizontal.go, ``reconcileAutoscaler``.
"""

import hashlib
import itertools
import math
import re

from msgspec import Struct

from metahook.simulator.apiserver.server_side_apply import SCALER
from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.clock import Clock, Timer
from metahook.simulator.controllers.delayed_queue import DelayedQueue, claim_matching
from metahook.simulator.objects import Json, Key, is_deleting, key_of, labels, reference_to, to_json, with_metadata


class PodCounts(Struct, frozen=True):
    """The Pod counts of a ReplicaSet: desired in its spec, and observed in its status."""

    name: str
    desired: int
    replicas: int = 0
    ready: int = 0
    available: int = 0


def surge_and_unavailable(spec: Json) -> tuple[int, int]:
    """Return how many Pods a rollout may have above, and below, the desired replicas of a Deployment's *spec*."""
    if spec["strategy"]["type"] == "Recreate":
        return 0, 0
    rolling = spec["strategy"].get("rollingUpdate", {})
    surge = math.ceil(_share(rolling.get("maxSurge", 0), spec["replicas"]))
    unavailable = math.floor(_share(rolling.get("maxUnavailable", 0), spec["replicas"]))
    return (0, 1) if surge == unavailable == 0 else (surge, unavailable)


def _share(value: int | str, replicas: int) -> float:
    return value if isinstance(value, int) else replicas * int(value.removesuffix("%")) / 100


def next_sizes(spec: Json, new: PodCounts | None, old: list[PodCounts]) -> dict[str, int]:
    """Return the next size of each ReplicaSet that changes, by name."""
    if new is None or spec.get("paused"):
        return _resize(spec, [*old, *([new] if new else [])])
    if spec["strategy"]["type"] == "Recreate":
        return _recreate(spec, new, old)
    return _scale_up(spec, new, old) or _scale_down(spec, new, old)


def _resize(spec: Json, sets: list[PodCounts]) -> dict[str, int]:
    """Resize the only active ReplicaSet, or the newest: scaling is not a rollout."""
    active = [replica_set for replica_set in sets if replica_set.desired] or sets[-1:]
    return {
        replica_set.name: spec["replicas"]
        for replica_set in active
        if len(active) == 1 and replica_set.desired != spec["replicas"]
    }


def _recreate(spec: Json, new: PodCounts, old: list[PodCounts]) -> dict[str, int]:
    down = {replica_set.name: 0 for replica_set in old if replica_set.desired}
    if down or any(replica_set.replicas for replica_set in old):
        return down
    return {} if new.desired == spec["replicas"] else {new.name: spec["replicas"]}


def _scale_up(spec: Json, new: PodCounts, old: list[PodCounts]) -> dict[str, int]:
    """Scale up the new ReplicaSet within maxSurge."""
    if new.desired == spec["replicas"]:
        return {}
    if new.desired > spec["replicas"]:
        return {new.name: spec["replicas"]}
    room = (
        spec["replicas"]
        + surge_and_unavailable(spec)[0]
        - new.desired
        - sum(replica_set.desired for replica_set in old)
    )
    more = min(room, spec["replicas"] - new.desired)
    return {new.name: new.desired + more} if more > 0 else {}


def _scale_down(spec: Json, new: PodCounts, old: list[PodCounts]) -> dict[str, int]:
    """Scale down the old ReplicaSets: first their unavailable Pods, then within maxUnavailable."""
    least = spec["replicas"] - surge_and_unavailable(spec)[1]
    total = new.desired + sum(replica_set.desired for replica_set in old)
    spare = total - least - (new.desired - new.available)
    sizes = {replica_set.name: replica_set.desired for replica_set in old}
    for replica_set in old:
        unhealthy = min(max(spare, 0), max(replica_set.desired - replica_set.available, 0))
        sizes[replica_set.name] -= unhealthy
        spare -= unhealthy
    spare = min(spare, new.available + sum(replica_set.available for replica_set in old) - least)
    for replica_set in old:
        surplus = min(max(spare, 0), sizes[replica_set.name])
        sizes[replica_set.name] -= surplus
        spare -= surplus
    return {
        replica_set.name: sizes[replica_set.name]
        for replica_set in old
        if sizes[replica_set.name] != replica_set.desired
    }


def status_of(
    deployment: Json, new: PodCounts | None, old: list[PodCounts], failure: Json | None, clock: Clock
) -> Json:
    """Return the status of *deployment* with its ReplicaSets *new* and *old*; *failure* is its ReplicaFailure."""
    sets = [*([new] if new else []), *old]
    counts = {
        "replicas": sum(replica_set.replicas for replica_set in sets),
        "updatedReplicas": new.replicas if new else 0,
        "readyReplicas": sum(replica_set.ready for replica_set in sets),
        "availableReplicas": sum(replica_set.available for replica_set in sets),
    }
    missing = max(0, sum(replica_set.desired for replica_set in sets) - counts["availableReplicas"])
    found = {
        "observedGeneration": deployment["metadata"]["generation"],
        **{name: count for name, count in {**counts, "unavailableReplicas": missing}.items() if count},
    }
    conditions = [_available(deployment, counts), _progressing(deployment, new, counts, clock), failure]
    return {**found, "conditions": [_with_times(item, deployment, clock) for item in conditions if item]}


def deadline(deployment: Json, clock: Clock) -> float | None:
    """Return the seconds until the progress deadline of *deployment*, or None if no rollout is in progress."""
    observed = condition_of(deployment, "Progressing")
    if observed is None or observed["status"] != "True" or observed["reason"] == "NewReplicaSetAvailable":
        return None
    left: float = deployment["spec"]["progressDeadlineSeconds"] - clock.since(observed["lastUpdateTime"])
    return max(left, 0.0) + 1


def condition_of(deployment: Json, kind: str) -> Json | None:
    conditions: list[Json] = deployment.get("status", {}).get("conditions", [])
    return next((item for item in conditions if item["type"] == kind), None)


def _available(deployment: Json, counts: dict[str, int]) -> Json:
    if counts["availableReplicas"] >= deployment["spec"]["replicas"] - surge_and_unavailable(deployment["spec"])[1]:
        return _condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
    return _condition(
        "Available", "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability."
    )


def _progressing(deployment: Json, new: PodCounts | None, counts: dict[str, int], clock: Clock) -> Json | None:
    observed = condition_of(deployment, "Progressing")
    desired = deployment["spec"]["replicas"]
    if deployment["spec"].get("paused"):
        is_late = observed is not None and observed["reason"] == "ProgressDeadlineExceeded"
        return observed if is_late else _condition("Progressing", "Unknown", "DeploymentPaused", "Deployment is paused")
    if new and all(counts[name] == desired for name in ("replicas", "updatedReplicas", "availableReplicas")):
        return _condition("Progressing", "True", "NewReplicaSetAvailable", f'ReplicaSet "{new.name}" has progressed.')
    if observed is None or not new or observed["status"] == "Unknown":
        return _condition("Progressing", "True", "NewReplicaSetCreated", "Created new replica set")
    return _progress(deployment, observed, new, counts, clock)


def _progress(deployment: Json, observed: Json, new: PodCounts, counts: dict[str, int], clock: Clock) -> Json:
    """Return the condition Progressing of the rollout to *new*; scaling after a rollout is not a rollout."""
    is_finished = observed["reason"] == "NewReplicaSetAvailable"
    if is_finished and counts["updatedReplicas"] == counts["replicas"] and new.name in observed["message"]:
        return observed
    if is_finished or _has_progressed(deployment.get("status", {}), counts):
        message = f'ReplicaSet "{new.name}" is progressing.'
        return {**_condition("Progressing", "True", "ReplicaSetUpdated", message), "lastUpdateTime": clock.stamp()}
    if clock.since(observed["lastUpdateTime"]) >= deployment["spec"]["progressDeadlineSeconds"]:
        message = f'ReplicaSet "{new.name}" has timed out progressing.'
        return _condition("Progressing", "False", "ProgressDeadlineExceeded", message)
    return observed


def _has_progressed(status: Json, counts: dict[str, int]) -> bool:
    """Tell whether the rollout has progressed since *status* was written."""
    before = {name: int(status.get(name, 0)) for name in counts}
    return (
        counts["updatedReplicas"] > before["updatedReplicas"]
        or counts["replicas"] - counts["updatedReplicas"] < before["replicas"] - before["updatedReplicas"]
        or counts["readyReplicas"] > before["readyReplicas"]
        or counts["availableReplicas"] > before["availableReplicas"]
    )


def _condition(kind: str, status: str, reason: str, message: str) -> Json:
    return {"type": kind, "status": status, "reason": reason, "message": message}


def _with_times(new: Json, deployment: Json, clock: Clock) -> Json:
    """Return the condition *new* with its times, which stay those of the existing condition while it is the same."""
    observed = condition_of(deployment, new["type"])
    if observed is None:
        return {"lastUpdateTime": clock.stamp(), "lastTransitionTime": clock.stamp(), **new}
    is_same = (observed["status"], observed["reason"]) == (new["status"], new["reason"])
    since = observed["lastTransitionTime"] if observed["status"] == new["status"] else clock.stamp()
    return {
        "lastUpdateTime": observed["lastUpdateTime"] if is_same else clock.stamp(),
        **new,
        "lastTransitionTime": since,
    }


NAME = "deployment-controller"
REVISION = "deployment.kubernetes.io/revision"
HASH = "pod-template-hash"
KUBECTL_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

_COMPLETE = ("replicas", "updatedReplicas", "availableReplicas")
"""Counts that equal the desired replicas when a rollout is complete."""


class DeploymentController:
    """Reconciles Deployments after changes of them and of their ReplicaSets."""

    def __init__(self, api: ApiServer, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._queue = DelayedQueue(clock, self._reconcile, delay=0.02)
        self._queue.watch(api, "Deployment", owns="ReplicaSet")

    def stop(self) -> None:
        """Reconcile nothing until it starts again, as while the kube-controller-manager is down."""
        self._queue.pause()

    def start(self) -> None:
        """Reconcile again, first what changed meanwhile."""
        self._queue.resume()

    def _reconcile(self, key: Key) -> None:
        deployment = self._api.get(key)
        if deployment is None or is_deleting(deployment):
            return
        sets = self._sets(deployment)
        new = next((item for item in sets if _template(item) == to_json(deployment["spec"]["template"])), None)
        if new is None and not deployment["spec"].get("paused"):
            new = self._create(deployment, sets)
        elif new is not None:
            new = self._with_revision(new, deployment, _revision(sets[-1]) + (new is not sets[-1]))
        old = [item for item in sets if new is None or item["metadata"]["uid"] != new["metadata"]["uid"]]
        if new is not None:
            deployment = self._with_revision_of(deployment, new)
        self._scale(deployment, new, old)
        self._write_status(deployment, new, old)

    def _sets(self, deployment: Json) -> list[Json]:
        """Return the ReplicaSets of *deployment*, the oldest first."""
        return sorted(claim_matching(deployment, self._api.all("ReplicaSet"), self._api, NAME), key=_revision)

    def _create(self, deployment: Json, sets: list[Json]) -> Json:
        template = deployment["spec"]["template"]
        template_hash = self._free_hash(deployment)
        labelled = with_metadata(
            {"metadata": {}, **template}, labels={**labels({"metadata": {}, **template}), HASH: template_hash}
        )
        metadata = deployment["metadata"]
        revision = max(map(_revision, sets), default=0) + 1
        replica_set: Json = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": f"{metadata['name']}-{template_hash}",
                "namespace": metadata["namespace"],
                "labels": labels(labelled),
                "annotations": {**copied_annotations(deployment), REVISION: str(revision)},
                "ownerReferences": [reference_to(deployment)],
            },
            "spec": {
                "replicas": 0,
                "minReadySeconds": deployment["spec"].get("minReadySeconds", 0),
                "selector": {"matchLabels": labels(labelled)},
                "template": labelled,
            },
        }
        return self._api.create(replica_set, NAME)

    def _free_hash(self, deployment: Json) -> str:
        """Return the hash of the Pod template; a salted one if a ReplicaSet of that name exists."""
        metadata, template = deployment["metadata"], to_json(deployment["spec"]["template"])
        hashes = (hashlib.sha256(f"{template}{salt or ''}".encode()).hexdigest()[:10] for salt in itertools.count())
        return next(free for free in hashes if not self._api.get(_replica_set_key(metadata, free)))

    def _with_revision(self, item: Json, deployment: Json, revision: int) -> Json:
        """Write the *revision* and the annotations of *deployment* to its newest ReplicaSet *item*; return that."""
        before = item["metadata"].get("annotations") or {}
        annotations = {**before, **copied_annotations(deployment), REVISION: str(revision)}
        if annotations == before:
            return item
        return self._api.update(with_metadata(item, annotations=annotations), NAME)

    def _with_revision_of(self, deployment: Json, new: Json) -> Json:
        """Write the revision of the ReplicaSet *new* to *deployment*; return the result."""
        annotations = deployment["metadata"].get("annotations") or {}
        revision = str(_revision(new))
        if annotations.get(REVISION) == revision:
            return deployment
        return self._api.update(with_metadata(deployment, annotations={**annotations, REVISION: revision}), NAME)

    def _scale(self, deployment: Json, new: Json | None, old: list[Json]) -> None:
        by_name = {item["metadata"]["name"]: item for item in (*old, *([new] if new else []))}
        sizes = next_sizes(deployment["spec"], _counts(new) if new else None, [_counts(item) for item in old])
        min_ready = deployment["spec"].get("minReadySeconds", 0)
        for name, item in by_name.items():
            spec = item["spec"]
            size = sizes.get(name, spec["replicas"])
            if (size, min_ready) != (spec["replicas"], spec.get("minReadySeconds", 0)):
                self._api.update({**item, "spec": {**spec, "minReadySeconds": min_ready, "replicas": size}}, NAME)

    def _write_status(self, deployment: Json, new: Json | None, old: list[Json]) -> None:
        failure = next((item["status"]["conditions"][0] for item in ([new] if new else []) if _failed(item)), None)
        if deployment["spec"].get("paused"):  # a paused Deployment keeps its failure
            failure = condition_of(deployment, "ReplicaFailure")
        condition = failure and {name: failure[name] for name in ("type", "status", "reason", "message")}
        status = status_of(
            deployment, _counts(new) if new else None, [_counts(item) for item in old], condition, self._clock
        )
        stored = self._api.update_status({**deployment, "status": status}, NAME)
        self._queue.enqueue_after(key_of(stored), deadline(stored, self._clock))
        if all(status.get(count, 0) == deployment["spec"]["replicas"] for count in _COMPLETE):
            self._clean_up(old, deployment["spec"]["revisionHistoryLimit"])

    def _clean_up(self, old: list[Json], limit: int) -> None:
        """Delete the oldest of the *old* ReplicaSets without Pods, and keep *limit* of them."""
        empty = [item for item in old if not item["spec"]["replicas"] and not item.get("status", {}).get("replicas")]
        for item in empty[: max(0, len(empty) - limit)]:
            self._api.delete(key_of(item), NAME)


def copied_annotations(item: Json) -> dict[str, str]:
    """Return the annotations that a Deployment and its ReplicaSets copy from each other."""
    annotations = item["metadata"].get("annotations") or {}
    return {key: value for key, value in annotations.items() if key not in (REVISION, KUBECTL_APPLIED)}


def old_template(item: Json) -> Json:
    """Return the Pod template of the ReplicaSet *item* without the label that its controller added."""
    template: Json = item["spec"]["template"]
    rest = {name: value for name, value in labels(template).items() if name != HASH}
    return with_metadata(template, labels=rest)


def _replica_set_key(metadata: Json, template_hash: str) -> Key:
    return Key("ReplicaSet", metadata["namespace"], f"{metadata['name']}-{template_hash}")


def _template(item: Json) -> str:
    return to_json(old_template(item))


def _revision(item: Json) -> int:
    """Return the revision of *item*, or 0 if the annotation is missing or not a number."""
    revision = (item["metadata"].get("annotations") or {}).get(REVISION, "")
    return int(revision) if re.fullmatch("[0-9]{1,9}", revision) else 0


def _counts(item: Json) -> PodCounts:
    status = item.get("status", {})
    counts = (status.get(count, 0) for count in ("replicas", "readyReplicas", "availableReplicas"))
    return PodCounts(item["metadata"]["name"], item["spec"]["replicas"], *counts)


def _failed(item: Json) -> bool:
    return bool(item.get("status", {}).get("conditions"))


PERIOD = 15.0
"""Seconds."""

MORE = 2
"""How many more replicas it sets."""


class Autoscaler:
    """Scales Deployments from ``start`` to ``stop``, to a number that stays the same."""

    def __init__(self, api: ApiServer, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._least: dict[Key, int] = {}
        self._next: Timer | None = None

    def start(self) -> None:
        """Begin to scale at once, and check again in each period."""
        self.stop()
        self._check()

    def stop(self) -> None:
        """Scale no more; Deployments stay as they are."""
        self._least.clear()
        if self._next:
            self._next.cancelled = True
            self._next = None

    def _check(self) -> None:
        scaled = [self._scale(item) for item in self._api.all("Deployment")]
        self._next = self._clock.after(PERIOD, self._check, idle=not any(scaled))

    def _scale(self, item: Json) -> bool:
        """Scale the Deployment *item*; tell whether it has fewer replicas than desired."""
        least = self._least.setdefault(key_of(item), item["spec"]["replicas"] + MORE)
        if item["spec"]["replicas"] >= least:
            return False
        self._api.patch(key_of(item), lambda live: {**live, "spec": {**live["spec"], "replicas": least}}, SCALER)
        return True
