"""The namespace of a test: the actions of its user, and the observed objects."""

import json
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, Protocol

from app.api.reading import InvalidSpec, read
from app.core.desired.valid_spec import references
from metahook.envtest.client import MERGE, Client, Refused
from metahook.simulator.clock import Clock
from metahook.simulator.controllers.pod_status import evicted, is_ready
from metahook.simulator.objects import Json
from tests.e2e.admission import forbid, remove
from tests.e2e.audit import Done
from tests.e2e.cluster import Cluster
from tests.e2e.real_kubectl import RealKubectl
from tests.e2e.record import Record, Version
from tests.e2e.statuses import condition, state_and_reason
from tests.e2e.watched import backup, told
from tests.simulated.worlds import parent

PATIENCE = 90.0
"""Timeout in seconds of what should happen at once; long, because the machine is shared."""

QUIET = 0.6
"""Seconds without a change after which no further change is expected."""


PORT: Json = {"ports": [{"name": "http", "containerPort": 80}]}
"""A spec with a port, which adds a Service."""


class Watched(Protocol):
    """A cluster with a client and a record of its objects."""

    client: Client
    record: Record


class Place:
    """A namespace. Methods without a *name* are about the MyResource ``web``."""

    def __init__(self, cluster: Watched, name: str, labels: dict[str, str] | None = None) -> None:
        self.name = name
        self._record = cluster.record
        self._has_policies = False
        self.client = cluster.client
        self.client.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels or {}}})
        self.eventually(lambda: self.client.get("ServiceAccount", name, "default") is not None)

    def close(self) -> None:
        """Delete the MyResources, then the namespace; otherwise Metacontroller would recreate children meanwhile."""
        if self._has_policies:
            remove(self)
        self.close_myresources()
        with suppress(Refused):
            self.client.delete("Namespace", "", self.name)

    def close_myresources(self) -> None:
        """Delete the MyResources, also those with finalizers."""
        for item in self.client.all("MyResource", self.name):
            name = item["metadata"]["name"]
            with suppress(Refused):  # it is already deleted
                self.delete("MyResource", name)
                self.edit("MyResource", {"metadata": {"finalizers": None}}, name)
        self.eventually(lambda: not self.client.all("MyResource", self.name))

    # Actions of the user

    def make(self, name: str = "web", **spec: Any) -> None:
        """Create a MyResource."""
        self.client.create(self.manifest(name, **spec))

    def manifest(self, name: str = "web", *, labels: dict[str, str] | None = None, **spec: Any) -> Json:
        """Return a MyResource as a user writes it."""
        made = parent(name, namespace=self.name, **spec)
        return {**made, "metadata": {**made["metadata"], "labels": labels or {}}}

    def ready(self, name: str = "web", **spec: Any) -> None:
        """Create a MyResource, and wait until it is Ready and nothing changes."""
        self.make(name, **spec)
        self.wait_until_ready(name)

    def put(self, item: Json) -> None:
        """Create an object of another owner."""
        self.client.create({**item, "metadata": {**item["metadata"], "namespace": self.name}})

    def change(self, name: str = "web", **spec: Any) -> None:
        """Change some fields of the spec; None removes one."""
        self.edit("MyResource", {"spec": spec}, name)

    def edit(self, kind: str, change: Json, name: str = "", *, how: str = MERGE, manager: str = "kubectl-edit") -> None:
        """Change an object by hand, by default the child of ``web``."""
        self.client.change(kind, self.name, name or child(kind), change, how=how, manager=manager)

    def delete(self, kind: str, name: str = "", policy: str = "Background") -> None:
        """Delete an object by hand."""
        self.client.delete(kind, self.name, name or child(kind), policy)

    def needs(self, item: Json) -> None:
        """Create what a MyResource names: a ServiceAccount, a PriorityClass, ConfigMaps, Secrets, dependencies."""
        spec, metadata = item["spec"], {"namespace": self.name}
        for (used, name), data in _used(item).items():
            named = {**metadata, "name": name}
            self.client.apply({"apiVersion": "v1", "kind": used, "metadata": named, "data": data})
        for each in spec.get("dependencies", []):
            self.client.apply(backup(each["name"], self.name))
            self.client.change(
                "MyBackup", self.name, each["name"], told(each.get("condition", "Ready"), "True"), part="/status"
            )
        if "serviceAccountName" in spec:
            named = {**metadata, "name": spec["serviceAccountName"]}
            self.client.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": named})
        if "priorityClassName" in spec:
            named = {"name": spec["priorityClassName"]}
            kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 1000}
            self.client.apply({**kind, "metadata": named})

    def evict(self) -> None:
        """Evict the ready Pod, as a kubelet does."""
        (pod,) = (item for item in self.client.all("Pod", self.name) if is_ready(item))
        status, clock = pod["status"], Clock(datetime.fromtimestamp(time.time(), UTC))
        failed = {**evicted(pod, clock), "startTime": status["startTime"]}
        self.client.change("Pod", self.name, pod["metadata"]["name"], {"status": failed}, part="/status")

    def quota(self, **hard: str) -> None:
        """Create the ResourceQuota ``most``, and wait until it has a status."""
        metadata = {"name": "most", "namespace": self.name}
        self.client.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": hard}})
        self.eventually(lambda: bool(self.get("ResourceQuota", "most").get("status", {}).get("hard")))

    def forbid(self, word: str) -> None:
        """Reject Deployments with *word* in an image from now on."""
        self._has_policies = True
        forbid(self, word)

    # Observed objects

    def get(self, kind: str, name: str = "") -> Json:
        """Return an object, by default that of ``web``."""
        found = self.find(kind, name)
        assert found is not None, f"there is no {kind} {name or child(kind)}"
        return found

    def find(self, kind: str, name: str = "") -> Json | None:
        """Return an object or None."""
        return self.client.get(kind, self.name, name or child(kind))

    def pods(self, name: str = "web") -> set[str]:
        """Return the uids of the Pods of a MyResource."""
        found = self.client.all("Pod", self.name, labelSelector=f"myresource={name}")
        return {item["metadata"]["uid"] for item in found if "deletionTimestamp" not in item["metadata"]}

    def available(self, name: str = "web") -> list[int]:
        """Return the sequence of numbers of available Pods of a MyResource."""
        versions = self._record.of("Deployment", self.name, child("Deployment", name))
        counts = [version.item.get("status", {}).get("availableReplicas", 0) for version in versions]
        return [now for before, now in pairwise([0, *counts]) if now != before]

    def main(self, name: str = "web") -> Json:
        """Return the main container of the Deployment."""
        containers = self.get("Deployment", child("Deployment", name))["spec"]["template"]["spec"]["containers"]
        found: Json = next(item for item in containers if item["name"] == "main")
        return found

    def state_and_reason(self, name: str = "web") -> tuple[str, str]:
        """Return the latest state and reason for the current generation."""
        found = self._record.latest("MyResource", self.name, name)
        return state_and_reason(found) if found else ("", "")

    def history(self, name: str = "web") -> list[tuple[str, str]]:
        """Return the sequence of states and reasons."""
        versions = self._record.of("MyResource", self.name, name)
        said = [state_and_reason(version.item) for version in versions if not version.deleted]
        return [now for before, now in pairwise([("", ""), *said]) if now not in (before, ("", ""))]

    def versions(self, kind: str, name: str = "web") -> list[Version]:
        """Return all versions of an object."""
        return self._record.of(kind, self.name, name)

    def message(self, name: str = "web") -> str:
        """Return the message of the condition Ready."""
        found: str = condition(self.get("MyResource", name), "Ready")["message"]
        return found

    # Expectations

    def eventually(self, holds: Callable[[], bool], within: float = PATIENCE) -> None:
        """Wait until *holds* returns True."""
        assert self._record.until(holds, within), f"not within {within} s; {self._described()}"

    def wait_for_status(self, state: str, reason: str, name: str = "web", within: float = PATIENCE) -> None:
        """Wait until the status has this state and reason for the current generation."""
        generation = self.get("MyResource", name)["metadata"]["generation"]

        def holds() -> bool:
            seen = self._record.latest("MyResource", self.name, name)
            return (
                seen is not None
                and seen["metadata"]["generation"] >= generation
                and state_and_reason(seen) == (state, reason)
            )

        assert self._record.until(holds, within), f"not {reason} within {within} s; {self._described()}"

    def wait_until_ready(self, name: str = "web", within: float = PATIENCE) -> None:
        """Wait until it is Ready and nothing changes."""
        self.wait_for_status("Ready", "Available", name, within)
        self.wait_until_quiet()
        assert self.state_and_reason(name) == ("Ready", "Available"), self._described()

    def wait_for_autoscaler(self, name: str = "web") -> None:
        """Wait until the condition about the autoscaler, if there is one, is not about to change."""
        self.eventually(lambda: condition(self.get("MyResource", name), "AutoscalingActive").get("status") != "Unknown")

    def wait_until_quiet(self, quiet: float = QUIET) -> None:
        """Wait until nothing changes."""

        def still() -> bool:
            return time.time() - max(self._record.moved(self.name), self.client.acted, RealKubectl.ended) > quiet

        assert self._record.until(still, PATIENCE), "there is no end of changes"

    def _described(self) -> str:
        """Return a description of all MyResources, for the message of a failure."""
        everything = self._record.everything("MyResource", self.name)
        known = {key.name: versions[-1].item.get("status", {}) for key, versions in everything.items()}
        events = [versions[-1].item for versions in self._record.everything("Event", self.name).values()]
        errors = [event["message"] for event in events if event["reason"] == "SyncError"]
        return json.dumps({"statuses": known, "errors": errors[-3:]}, indent=1)


class Namespace(Place):
    """A namespace in a cluster of the tests, with the recorded requests to the hook and the API server."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        super().__init__(cluster, name)
        self._cluster = cluster

    def undo(self, revision: int, name: str = "web") -> None:
        """Roll the Deployment of a MyResource back to *revision*."""
        kubectl = RealKubectl(self._cluster.control_plane.kubeconfig("admin"))
        kubectl.run(f"kubectl rollout undo deployment {child('Deployment', name)} --to-revision={revision}", self.name)

    def exchanges(self, name: str = "web") -> list[Json]:
        """Return the recorded requests and responses about a MyResource."""
        return self._cluster.exchanges(self.name, name)

    def since(self) -> Done:
        """Return an object that collects the requests of Metacontroller from now on."""
        return Done(self._cluster.audit, self.name)

    def touched(self, name: str = "web") -> Done:
        """Cause one more sync of a MyResource, and return the requests of Metacontroller about it and its children."""
        self.wait_until_quiet()
        done = Done(self._cluster.audit, self.name, {name, child("Deployment", name)})
        version = self.get("MyResource", name)["metadata"]["resourceVersion"]
        self.edit("MyResource", {"metadata": {"annotations": {"example.com/touched": version}}}, name)
        self.eventually(lambda: done.looked_at(name))
        self.wait_until_quiet()
        return done


def child(kind: str, name: str = "web") -> str:
    """Return the name of the child of this *kind* of the MyResource *name*."""
    return f"{name}-deployment" if kind == "Deployment" else name


def _used(item: Json) -> dict[tuple[str, str], dict[str, str]]:
    """Return the data of each ConfigMap and Secret that a MyResource uses, by kind and name."""
    spec = read(item["metadata"]["name"], json.dumps(item["spec"]).encode())
    assert not isinstance(spec, InvalidSpec)
    found: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for ref in references(spec):
        found[ref.kind.KIND.kind, ref.name][ref.key or "any"] = "Zm9v"
    return found
