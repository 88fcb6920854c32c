"""What Pods and ReplicaSets show: how many Pods of a Deployment's template were available at once.

It follows the stored objects in their order, from the simulator or from a real API server, and knows nothing of app.
Source: Kubernetes, pkg/api/pod, ``IsPodAvailable``; pkg/controller/deployment/util, ``EqualIgnoreHash``.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from metahook.protocol.request_builder import controller_of
from metahook.simulator.controllers.deployments import condition_of, old_template
from metahook.simulator.controllers.pod_status import has_failed, ready_condition
from metahook.simulator.objects import Json, Key, is_deleting, key_of, to_json

KINDS = ("Deployment", "ReplicaSet", "Pod")


@dataclass
class Period:
    """The time for which a Deployment had one Pod template."""

    template: str
    ends: datetime | None = None
    """When another template was stored, or the Deployment was deleted; None if it still has this one."""
    most: int = 0
    """The number of its Pods that were available at once."""


@dataclass(frozen=True)
class Version:
    """A stored version of a Deployment."""

    item: Json
    since: datetime
    period: Period
    kept: int
    """The number of Pods that were available, and were not scaled down since."""
    available: int
    """The number of Pods that were available when this version was stored."""

    @property
    def has_lost_pods(self) -> bool:
        """Whether Pods are lost, though nobody scaled down, and the status shows it.

        While Pods start, the status can show fewer than there are by now.
        """
        return self.available < self.kept and self.item.get("status", {}).get("availableReplicas", 0) < self.kept

    @property
    def is_unavailable(self) -> bool:
        """Whether its own condition Available is False."""
        return (condition_of(self.item, "Available") or {}).get("status") == "False"


class Availability:
    """Follows one API server."""

    def __init__(self) -> None:
        self._objects: dict[str, Json] = {}
        """Deployments, ReplicaSets and Pods by uid."""
        self._owned: defaultdict[str, list[str]] = defaultdict(list)
        """The uids of the objects that the one with this uid controls."""
        self._templates: dict[str, str] = {}
        """The Pod templates of ReplicaSets, by uid."""
        self._kept: defaultdict[str, int] = defaultdict(int)
        self._available: defaultdict[str, int] = defaultdict(int)
        self._versions: defaultdict[Key, list[Version]] = defaultdict(list)

    def follow(self, item: Json, now: datetime, *, is_gone: bool = False) -> None:
        """Take note that *item* was stored, or that it is gone."""
        uid, owner = item["metadata"]["uid"], controller_of(item)
        self._count(self._deployment_of(item), now)
        if owner and uid not in self._owned[owner]:
            self._owned[owner].append(uid)
        if is_gone:
            self._objects.pop(uid, None)
        else:
            self._objects[uid] = item
        if item["kind"] == "ReplicaSet":
            self._templates[uid] = to_json(old_template(item))
        if item["kind"] == "Deployment":
            self._add_version(item, now, is_gone=is_gone)
        self._count(self._deployment_of(item), now)

    def versions(self, key: Key, now: datetime) -> list[Version]:
        """Return the versions of the Deployment *key*, the current one last; empty if there never was one."""
        for last in self._versions[key][-1:]:
            self._count(last.item["metadata"]["uid"], now)
        return self._versions[key]

    def _add_version(self, item: Json, now: datetime, *, is_gone: bool) -> None:
        """Note a version, and begin a period if it has another template."""
        versions, uid, template = self._versions[key_of(item)], item["metadata"]["uid"], _template(item)
        last = versions[-1] if versions else None
        is_same = last and (last.item["metadata"]["uid"], last.period.template) == (uid, template)
        if last and (is_gone or not is_same) and last.period.ends is None:
            last.period.ends = now
        if not is_gone:
            period = last.period if last and is_same else self._period(uid, template, versions)
            period.ends = None
            versions.append(Version(item, now, period, self._kept[uid], self._available[uid]))

    def _period(self, uid: str, template: str, versions: list[Version]) -> Period:
        """Return a new period, or that of the *template* before, if no ReplicaSet was made for what came in between.

        Then the Deployment controller has observed no change, and there was nothing to roll out.
        """
        made = {self._templates[each] for each in self._owned[uid] if each in self._templates}
        for version in reversed(versions):
            if version.item["metadata"]["uid"] != uid:
                break
            if version.period.template == template:
                return version.period
            if version.period.template in made:
                break
        return Period(template)

    def _deployment_of(self, item: Json | None) -> str:
        """Return the uid of the Deployment that *item* belongs to; empty if that is not known."""
        if item is None or item["kind"] == "Deployment":
            return item["metadata"]["uid"] if item else ""
        owner = controller_of(item) or ""
        return owner if item["kind"] == "ReplicaSet" else self._deployment_of(self._objects.get(owner))

    def _count(self, uid: str, now: datetime) -> None:
        """Count the available Pods of the Deployment with this *uid*, of its template and of all."""
        deployment = self._objects.get(uid)
        if deployment is None or deployment["kind"] != "Deployment":
            return
        period = self._versions[key_of(deployment)][-1].period
        sets = [found for each in self._owned[uid] if (found := self._objects.get(each))]
        counts = {each["metadata"]["uid"]: self._available_of(each, deployment, now) for each in sets}
        period.most = max(
            period.most, sum(count for each, count in counts.items() if self._templates[each] == period.template)
        )
        # Whoever lowers one of these numbers scales down.
        asked = min(deployment["spec"]["replicas"], sum(each["spec"]["replicas"] for each in sets))
        self._available[uid] = sum(counts.values())
        self._kept[uid] = min(max(self._kept[uid], self._available[uid]), asked)

    def _available_of(self, replica_set: Json, deployment: Json, now: datetime) -> int:
        pods = (self._objects.get(uid) for uid in self._owned[replica_set["metadata"]["uid"]])
        seconds = deployment["spec"].get("minReadySeconds", 0)
        return sum(is_available(pod, seconds, now) for pod in pods if pod)


def is_available(pod: Json, min_ready_seconds: int, now: datetime) -> bool:
    """Tell whether *pod* has been ready for so many seconds."""
    ready = ready_condition(pod)
    if ready.get("status") != "True" or is_deleting(pod) or has_failed(pod):
        return False
    return (now - datetime.fromisoformat(ready["lastTransitionTime"])).total_seconds() >= min_ready_seconds


def _template(deployment: Json) -> str:
    return to_json(deployment["spec"]["template"])
