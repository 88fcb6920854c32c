"""The judge of transition times: compares each one with when statuses were stored. It knows nothing of app.

The time of a condition lies between the last status with its old value and the first one with the new one, and it stays
while the value does. So it does where the value changed unseen: then an object shows that time.
"""

from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from metahook.simulator.history import Call, Entry, Write
from metahook.simulator.hook import Hook, Reply
from metahook.simulator.metacontroller.children import NAME
from metahook.simulator.objects import Json, Key, with_metadata

SHOWING = ("MyResource", "Deployment", "Service", "ConfigMap")
"""The kinds whose objects show times; of a Secret or another child, only the simulator's history tells."""


@dataclass
class Times:
    """Follows the objects of an API server as they are stored."""

    changes: int = 0
    """How many conditions of MyResources changed their status."""
    violations: list[str] = field(default_factory=list)
    from_another_clock: list[str] = field(default_factory=list)
    """Times that are a second early, as two clocks of whole seconds explain."""
    from_an_old_request: list[str] = field(default_factory=list)
    """Other times outside these bounds, of responses to requests that lacked the last status."""
    _stored: dict[str, tuple[datetime, int]] = field(default_factory=dict)
    """When the last status of a MyResource was stored, in whole seconds, and its resourceVersion; by uid."""
    _shown: set[str] = field(default_factory=set)
    """When objects were created, and when the conditions of Deployments changed."""
    _asked: dict[Key, int] = field(default_factory=dict)
    """The resourceVersion of a MyResource in the last request about it."""

    def follow(self, entry: Entry, now: datetime) -> None:
        """Judge an entry of a history."""
        if isinstance(entry, Call) and entry.hook == "sync":
            self.asked(entry.key, entry.parent)
        elif isinstance(entry, Write) and entry.changed and entry.after:
            is_ours = entry.actor == NAME
            self.stored(entry.key, entry.before if is_ours else None, entry.after, now)

    def asked(self, key: Key, parent: Json) -> None:
        """Take note of the *parent* in a request, from which the next status follows."""
        self._asked[key] = _number(parent)

    def stored(self, key: Key, before: Json | None, after: Json, now: datetime) -> None:
        """Judge an object that was stored *now* in place of *before*, if Metacontroller did."""
        if key.kind == "MyResource":
            old = before.get("status", {}) if before else after.get("status", {})
            if old != after.get("status", {}):
                self._judge(key, old, after, now.replace(microsecond=0))
            return
        self._shown.add(after["metadata"]["creationTimestamp"])
        for each in after.get("status", {}).get("conditions") or () if key.kind == "Deployment" else ():
            self._shown |= {each["lastTransitionTime"], each["lastUpdateTime"]}

    def _judge(self, key: Key, old: Json, parent: Json, now: datetime) -> None:
        uid, before = parent["metadata"]["uid"], _values(old)
        last, number = self._stored.get(uid, (None, 0)) if old else (None, 0)
        self._stored[uid] = now, _number(parent)
        for kind, (status, since) in _values(parent["status"]).items():
            was, was_since = before.get(kind, ("", ""))
            self.changes += was != status
            early = (last - _time(since)).total_seconds() if last and was != status else 0
            is_outside = early > 0 or _time(since) > now if was != status else since not in {was_since, *self._shown}
            if is_outside:
                found = self.violations
                if early == 1:
                    found = self.from_another_clock
                elif self._asked.get(key, number) < number:
                    found = self.from_an_old_request
                what = f"{was or 'absent'} since {was_since} until {last}, is {status} since {since}"
                found.append(f"{now:%H:%M:%S} {kind} of {key} was {what}")


def _number(item: Json) -> int:
    return int(item["metadata"]["resourceVersion"])


def _values(status: Json) -> dict[str, tuple[str, str]]:
    """Return the status and the time of each condition, by type."""
    return {each["type"]: (each["status"], each["lastTransitionTime"]) for each in status.get("conditions", [])}


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


class ManagedFields:
    """The times in ``managedFields``, which the simulator does not record: when a status, or the rest, was stored."""

    def __init__(self) -> None:
        self._times: dict[tuple[str, str], Json] = {}
        """By the version of an object: its times, by subresource."""

    def follow(self, entry: Entry, now: datetime) -> None:
        """Take note of a write."""
        if isinstance(entry, Write) and entry.changed and entry.after:
            old, new = entry.before or {}, entry.after
            part = "status" if old and old.get("status") != new.get("status") else ""
            times = self._times.get(_version(old), {}) if old else {}
            self._times[_version(new)] = {**times, part: f"{now:%Y-%m-%dT%H:%M:%SZ}"}

    def before(self, served: Hook) -> Hook:
        """Return the *served* hook, which gets requests with these times."""

        def call(hook: str, body: bytes) -> Reply:
            request = msgspec.json.decode(body)
            request["parent"] = self._added(request["parent"])
            for group in request.get("children", {}).values():
                group |= {key: self._added(item) for key, item in group.items()}
            return served(hook, msgspec.json.encode(request))

        return call

    def _added(self, item: Json) -> Json:
        times = self._times.get(_version(item), {})
        added = [{"operation": "Update", "subresource": part, "time": time} for part, time in times.items()]
        return with_metadata(item, managedFields=[*item["metadata"].get("managedFields", []), *added])


def _version(item: Json) -> tuple[str, str]:
    return item["metadata"]["uid"], item["metadata"]["resourceVersion"]
