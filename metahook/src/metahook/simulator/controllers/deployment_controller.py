"""The Deployment controller: one ReplicaSet for each Pod template, resized step by step.

Source: Kubernetes, pkg/controller/deployment.
"""

import hashlib
import itertools
import re

from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.clock import Clock
from metahook.simulator.controllers.delayed_queue import DelayedQueue, claim_matching
from metahook.simulator.controllers.deployment_status import condition_of, deadline, status_of
from metahook.simulator.controllers.rollout import PodCounts, next_sizes
from metahook.simulator.objects import Json, Key, is_deleting, key_of, labels, reference_to, to_json, with_metadata

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
        for name, item in by_name.items():
            min_ready = {"minReadySeconds": deployment["spec"].get("minReadySeconds", 0)}
            spec = {**item["spec"], **min_ready, "replicas": sizes.get(name, item["spec"]["replicas"])}
            if spec != item["spec"]:
                self._api.update({**item, "spec": spec}, NAME)

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
