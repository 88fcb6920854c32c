"""The judge of statuses: compares each one with the Pods of that time. It knows nothing of app.

Ready is wrong if it is True, and since the Pod template was last stored, never as many Pods of it as the spec asks for
were available at once. With autoscaling that is ``minReplicas``; scaling up is no fault, but a loss of Pods is.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import msgspec

from metahook.simulator.history import Call, Entry, Write
from metahook.simulator.metacontroller.children import NAME, merge
from metahook.simulator.objects import Json, Key, to_json
from tests.plans.availability import KINDS, Availability, Period, Version

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True)
class Sync:
    """What the last sync of a parent was about."""

    status: Json
    """The status that the request carried."""
    shown: Version | None
    """The Deployment in the request."""
    is_applied: bool
    """Whether that Deployment has the Pod template of the response."""


@dataclass
class Judge:
    """Follows an API server and the syncs. Where it does not see these, a status may be late by a *race*."""

    race: timedelta = timedelta()
    violations: list[str] = field(default_factory=list)
    _availability: Availability = field(default_factory=Availability)
    _specs: dict[tuple[str, int], Json] = field(default_factory=dict)
    """Of each MyResource, by uid and generation."""
    _syncs: dict[Key, Sync] = field(default_factory=dict)

    def follow(self, entry: Entry, now: datetime) -> None:
        """Judge an entry of a history."""
        if isinstance(entry, Call) and entry.hook == "sync" and entry.status == 200:
            self.synced(entry.key, msgspec.json.decode(entry.request), msgspec.json.decode(entry.response), now)
        elif isinstance(entry, Write) and entry.changed:
            self.stored(entry.key, entry.before, entry.after, now, by_hand=entry.actor != NAME)

    def stored(
        self, key: Key, before: Json | None, after: Json | None, now: datetime, *, by_hand: bool = False
    ) -> None:
        """Judge a change of an object."""
        item = after or before
        if key.kind in KINDS and item:
            self._availability.follow(item, now, is_gone=after is None)
        elif key.kind == "MyResource" and after:
            metadata = after["metadata"]
            self._specs[metadata["uid"], metadata["generation"]] = after["spec"]
            old = (before or {}).get("status", {})
            if not by_hand and after.get("status", {}) != old:
                self._judge_ready(key, old, after, now)
                self._judge_times(key, old, after["status"], now)

    def synced(self, key: Key, request: Json, response: Json, now: datetime) -> None:
        """Judge a response by what the request shows: a loss of Pods is told at once."""
        deployment = _named(_deployment(key), request["children"]["Deployment.apps/v1"].values())
        versions = self._availability.versions(_deployment(key), now)[::-1]
        shown = next((each for each in versions if deployment and _is(each.item, deployment)), None)
        desired = _named(_deployment(key), response["children"])
        sync = Sync(request["parent"].get("status", {}), shown, _is_applied(desired, deployment))
        self._syncs[key] = sync
        if shown and shown.is_unavailable and shown.has_lost_pods and ready(response["status"]) == "True":
            self._found(now, f"Ready is True though the Deployment shows a loss of Pods: {_counts(shown)}")

    def _judge_ready(self, key: Key, old: Json, parent: Json, now: datetime) -> None:
        status, metadata = parent["status"], parent["metadata"]
        if ready(status) != "True":
            return
        versions = self._recent(key, now)
        asked = asked_for(self._specs[metadata["uid"], status["observedGeneration"]], now)
        most = max((period.most for period in self._periods(key, versions, now)), default=-1)
        if most < asked:
            self._found(now, f"Ready is True, and at most {max(most, 0)} of {asked} Pods were available")
        elif ready(old) != "True" and versions and all(each.has_lost_pods for each in versions):
            self._found(now, f"Ready becomes True after a loss of Pods: {_counts(versions[-1])}")

    def _recent(self, key: Key, now: datetime) -> list[Version]:
        """Return the versions of the Deployment that the status may be about."""
        versions, sync = self._availability.versions(_deployment(key), now), self._syncs.get(key)
        if sync:
            return [sync.shown] if sync.shown else []
        ends = [*(each.since for each in versions[1:]), now]
        return [each for each, end in zip(versions, ends, strict=False) if end >= now - self.race]

    def _periods(self, key: Key, recent: list[Version], now: datetime) -> list[Period]:
        """Return the periods that count: the current one, or that of what the sync was shown and left as it is."""
        sync = self._syncs.get(key)
        current = [each.period for each in self._availability.versions(_deployment(key), now)[-1:]]
        found = [each for each in current if each.ends is None]
        if sync:
            return [*found, *(each.period for each in recent if sync.is_applied)]
        return [*found, *(each.period for each in recent if each.period.ends and each.period.ends >= now - self.race)]

    def _judge_times(self, key: Key, old: Json, new: Json, now: datetime) -> None:
        """Look for transition times that are earlier than the previous ones, which the request carried."""
        before, sync = _times(old), self._syncs.get(key)
        if sync is None or sync.status != old:
            return
        for kind, time in _times(new).items():
            if time < before.get(kind, ""):
                self._found(now, f"lastTransitionTime of {kind} goes back from {before[kind]} to {time}")

    def _found(self, now: datetime, what: str) -> None:
        self.violations.append(f"{now:%H:%M:%S.%f} {what}")


def ready(status: Json) -> str:
    """Return the status of the condition Ready; empty without one."""
    found = (each["status"] for each in status.get("conditions", []) if each["type"] == "Ready")
    return next(found, "")


def _times(status: Json) -> dict[str, str]:
    """Return the transition time of each condition."""
    return {each["type"]: each.get("lastTransitionTime", "") for each in status.get("conditions", [])}


def asked_for(spec: Json, now: datetime) -> int:
    """Return how many Pods *spec* asks for at least. Windows of its schedule are in UTC, and within a day."""
    for window in spec.get("schedule", {}).get("sleep", []):
        if DAYS[now.weekday()] in window["days"] and window["from"] <= f"{now:%H:%M}" < window["to"]:
            return int(window.get("replicas", 0))
    autoscaling = spec.get("autoscaling")
    return int(autoscaling.get("minReplicas", 1) if autoscaling else spec.get("replicas", 1))


def _deployment(key: Key) -> Key:
    return Key("Deployment", key.namespace, f"{key.name}-deployment")


def _named(key: Key, items: Iterable[Json]) -> Json | None:
    """Return the one of *items* with the kind and the name of *key*."""
    return next((item for item in items if (item["kind"], item["metadata"].get("name")) == (key.kind, key.name)), None)


def _is(one: Json, other: Json) -> bool:
    """Tell whether both are the same version."""
    return bool(one["metadata"]["resourceVersion"] == other["metadata"]["resourceVersion"])


def _is_applied(desired: Json | None, observed: Json | None) -> bool:
    """Tell whether the *observed* Deployment has the Pod template of the *desired* one."""
    if not desired or not observed or "template" not in desired.get("spec", {}):
        return observed is not None
    template = observed["spec"]["template"]
    return to_json(merge(template, {}, desired["spec"]["template"])) == to_json(template)


def _counts(shown: Version) -> str:
    return f"{shown.item['status'].get('availableReplicas', 0)} of {shown.kept} are available"
