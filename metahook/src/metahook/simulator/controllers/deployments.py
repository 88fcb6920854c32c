"""The Deployment controller: one ReplicaSet for each Pod template, scaled step by step.

Source: Kubernetes, pkg/controller/deployment.
"""

import hashlib
import itertools
import re

from metahook.simulator.apiserver.store import ApiServer
from metahook.simulator.clock import Clock
from metahook.simulator.controllers.adoption import own
from metahook.simulator.controllers.deployment_status import condition_of, deadline, status_of
from metahook.simulator.controllers.rollout import Set, scaled
from metahook.simulator.controllers.wake import Wake
from metahook.simulator.history import Write
from metahook.simulator.objects import Json, Key, deleting, key_of, labels, reference_to, text, with_metadata

NAME = "deployment-controller"
REVISION = "deployment.kubernetes.io/revision"
HASH = "pod-template-hash"
KUBECTL_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

_COMPLETE = ("replicas", "updatedReplicas", "availableReplicas")
"""Counts that are what is asked for once a rollout is complete."""


class Deployments:
    """Reconciles Deployments, a moment after they, or their ReplicaSets, changed."""

    def __init__(self, api: ApiServer, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._wake = Wake(clock, self._reconcile, late=0.02)
        api.watch(self._changed)

    def _changed(self, write: Write) -> None:
        item = write.after or write.before or {}
        if write.key.kind == "Deployment":
            self._wake(write.key)
        elif write.key.kind == "ReplicaSet":
            owners = (owner["name"] for owner in item["metadata"].get("ownerReferences", []))
            for name in owners:
                self._wake(Key("Deployment", write.key.namespace, name))

    def _reconcile(self, key: Key) -> None:
        deployment = self._api.get(key)
        if deployment is None or deleting(deployment):
            return
        sets = self._sets(deployment)
        new = next((item for item in sets if _template(item) == text(deployment["spec"]["template"])), None)
        if new is None and not deployment["spec"].get("paused"):
            new = self._create(deployment, sets)
        elif new is not None:
            new = self._annotated(new, deployment, _revision(sets[-1]) + (new is not sets[-1]))
        old = [item for item in sets if new is None or item["metadata"]["uid"] != new["metadata"]["uid"]]
        if new is not None:
            deployment = self._revised(deployment, new)
        self._scale(deployment, new, old)
        self._write_status(deployment, new, old)

    def _sets(self, deployment: Json) -> list[Json]:
        """Return the ReplicaSets of *deployment*, the oldest first."""
        return sorted(own(deployment, self._api.all("ReplicaSet"), self._api, NAME), key=_revision)

    def _create(self, deployment: Json, sets: list[Json]) -> Json:
        template = deployment["spec"]["template"]
        mark = self._mark(deployment)
        marked = with_metadata(
            {"metadata": {}, **template}, labels={**labels({"metadata": {}, **template}), HASH: mark}
        )
        metadata = deployment["metadata"]
        revision = max(map(_revision, sets), default=0) + 1
        made: Json = {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": f"{metadata['name']}-{mark}",
                "namespace": metadata["namespace"],
                "labels": labels(marked),
                "annotations": {**copied_annotations(deployment), REVISION: str(revision)},
                "ownerReferences": [reference_to(deployment)],
            },
            "spec": {
                "replicas": 0,
                "minReadySeconds": deployment["spec"].get("minReadySeconds", 0),
                "selector": {"matchLabels": labels(marked)},
                "template": marked,
            },
        }
        return self._api.create(made, NAME)

    def _mark(self, deployment: Json) -> str:
        """Return what tells the template of *deployment* from others; another if the name is taken by it."""
        metadata, template = deployment["metadata"], text(deployment["spec"]["template"])
        marks = (hashlib.sha256(f"{template}{salt or ''}".encode()).hexdigest()[:10] for salt in itertools.count())
        free = (mark for mark in marks if not self._api.get(_named(metadata, mark)))
        return next(free)

    def _annotated(self, item: Json, deployment: Json, revision: int) -> Json:
        """Return the ReplicaSet *item*, the newest one, with its *revision* and the annotations of *deployment*."""
        before = item["metadata"].get("annotations") or {}
        annotations = {**before, **copied_annotations(deployment), REVISION: str(revision)}
        if annotations == before:
            return item
        return self._api.update(with_metadata(item, annotations=annotations), NAME)

    def _revised(self, deployment: Json, new: Json) -> Json:
        """Return *deployment* with the annotation that says its revision, written if it said another."""
        annotations = deployment["metadata"].get("annotations") or {}
        revision = str(_revision(new))
        if annotations.get(REVISION) == revision:
            return deployment
        return self._api.update(with_metadata(deployment, annotations={**annotations, REVISION: revision}), NAME)

    def _scale(self, deployment: Json, new: Json | None, old: list[Json]) -> None:
        by_name = {item["metadata"]["name"]: item for item in (*old, *([new] if new else []))}
        step = scaled(deployment["spec"], _set(new) if new else None, [_set(item) for item in old])
        for name, item in by_name.items():
            patience = {"minReadySeconds": deployment["spec"].get("minReadySeconds", 0)}
            spec = {**item["spec"], **patience, "replicas": step.get(name, item["spec"]["replicas"])}
            if spec != item["spec"]:
                self._api.update({**item, "spec": spec}, NAME)

    def _write_status(self, deployment: Json, new: Json | None, old: list[Json]) -> None:
        failure = next((item["status"]["conditions"][0] for item in ([new] if new else []) if _failed(item)), None)
        if deployment["spec"].get("paused"):  # of a failure, it keeps what it said before
            failure = condition_of(deployment, "ReplicaFailure")
        said = failure and {name: failure[name] for name in ("type", "status", "reason", "message")}
        status = status_of(deployment, _set(new) if new else None, [_set(item) for item in old], said, self._clock)
        stored = self._api.update_status({**deployment, "status": status}, NAME)
        self._wake.at(key_of(stored), deadline(stored, self._clock))
        if all(status.get(count, 0) == deployment["spec"]["replicas"] for count in _COMPLETE):
            self._clean_up(old, deployment["spec"]["revisionHistoryLimit"])

    def _clean_up(self, old: list[Json], limit: int) -> None:
        """Delete the oldest of the *old* ReplicaSets that have no Pods, but for as many as *limit*."""
        empty = [item for item in old if not item["spec"]["replicas"] and not item.get("status", {}).get("replicas")]
        for item in empty[: max(0, len(empty) - limit)]:
            self._api.delete(key_of(item), NAME)


def copied_annotations(item: Json) -> dict[str, str]:
    """Return the annotations that a Deployment and its ReplicaSets have from one another."""
    annotations = item["metadata"].get("annotations") or {}
    return {key: value for key, value in annotations.items() if key not in (REVISION, KUBECTL_APPLIED)}


def old_template(item: Json) -> Json:
    """Return the Pod template of the ReplicaSet *item* as its Deployment had it."""
    template: Json = item["spec"]["template"]
    rest = {name: value for name, value in labels(template).items() if name != HASH}
    return with_metadata(template, labels=rest)


def _named(metadata: Json, mark: str) -> Key:
    return Key("ReplicaSet", metadata["namespace"], f"{metadata['name']}-{mark}")


def _template(item: Json) -> str:
    return text(old_template(item))


def _revision(item: Json) -> int:
    """Return which revision *item* is; what somebody else wrote there counts as none."""
    said = (item["metadata"].get("annotations") or {}).get(REVISION, "")
    return int(said) if re.fullmatch("[0-9]{1,9}", said) else 0


def _set(item: Json) -> Set:
    status = item.get("status", {})
    counts = (status.get(count, 0) for count in ("replicas", "readyReplicas", "availableReplicas"))
    return Set(item["metadata"]["name"], item["spec"]["replicas"], *counts)


def _failed(item: Json) -> bool:
    return bool(item.get("status", {}).get("conditions"))
