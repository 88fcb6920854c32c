"""Tells what happened in a simulated world, a line each: when, who, what. What is no news has no line."""

from dataclasses import dataclass
from typing import Any

from metahook.simulator.history import Entry, Event, Write

Json = dict[str, Any]

_WELL = ("ready", "running", "ContainerCreating")
"""States of a Pod in which nothing is wrong."""

_COUNTS = {"replicas": "there", "updatedReplicas": "updated", "availableReplicas": "available"}


@dataclass(frozen=True)
class Line:
    """``at`` is in seconds. ``tone`` is good, bad, busy, plain, or aside for what a brief telling leaves out."""

    at: float
    who: str
    what: str
    tone: str = "plain"


def line_of(entry: Entry, parent_kind: str) -> Line | None:
    """Return the line for *entry*, or None if it is no news."""
    if isinstance(entry, Event):
        return Line(entry.at, "metacontroller", f"{entry.reason}: {entry.key}: {entry.message}", "bad")
    if not isinstance(entry, Write):
        return None
    if entry.refused:
        return Line(entry.at, entry.actor, f"{entry} is refused: {entry.refused}", "bad")
    told = _told(entry, parent_kind) if entry.changed else None
    return Line(entry.at, entry.actor, *told) if told else None


def _told(write: Write, parent_kind: str) -> tuple[str, str] | None:
    if write.before is None or write.after is None:
        return (f"{'makes' if write.after else 'removes'} {write.key}", "plain")
    kinds = {"Pod": _pod, "ReplicaSet": _replica_set}
    statuses = {parent_kind: _parent, "Deployment": _deployment}
    tell = statuses.get(write.key.kind) if write.verb == "update status" else None
    return (kinds.get(write.key.kind) or tell or _changed)(write)


def _changed(write: Write) -> tuple[str, str] | None:
    if write.actor in ("deployment-controller", "garbage-collector") and write.verb != "delete":
        return None
    parts = ["status"] if write.verb == "update status" else ["spec", "data", "metadata"]
    what = next(filter(None, (_what(write, part) for part in parts)), "")
    return (f"deletes {write.key}" if write.verb == "delete" else f"changes {write.key}: {what}", "plain")


def _what(write: Write, part: str) -> str:
    """Return the first field in that *part* of an object that differs, and what it is now, unless it is secret."""
    path, value = _first_difference((write.before or {}).get(part), (write.after or {}).get(part), part)
    return f"{path}={value}" if path and write.key.kind != "Secret" else path


def _first_difference(old: object, new: object, path: str) -> tuple[str, object]:
    if old == new:
        return "", None
    if isinstance(old, dict) and isinstance(new, dict):
        names = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
        return _first_difference(old.get(names[0]), new.get(names[0]), f"{path}.{names[0]}")
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        place = next(place for place in range(len(old)) if old[place] != new[place])
        return _first_difference(old[place], new[place], f"{path}[{place}]")
    return path, new


def _parent(write: Write) -> tuple[str, str] | None:
    """Tell of a status: its state, Ready's reason and message; or which other condition changed."""
    old, new = (_conditions(item) for item in (write.before, write.after))
    status = (write.after or {}).get("status") or {}
    ready = new.get("Ready", {})
    tone = {"True": "good"}.get(
        ready.get("status", ""), "bad" if status.get("state") in ("Failed", "Degraded") else "busy"
    )
    before = ((write.before or {}).get("status") or {}).get("state")
    if _said(status.get("state"), ready) != _said(before, old.get("Ready", {})):
        words = dict.fromkeys((status.get("state"), ready.get("reason"), ready.get("message")))
        return (f"{write.key} is {': '.join(map(str, words))}", tone)
    moved = [kind for kind in sorted(new) if new[kind].get("status") != old.get(kind, {}).get("status")]
    said = ", ".join(f"{kind} is {new[kind].get('status')}" for kind in moved)
    return (f"{write.key}: {said or _what(write, 'status')}", "aside")


def _said(state: object, ready: Json) -> list[object]:
    return [state, *(ready.get(name) for name in ("status", "reason", "message"))]


def _conditions(item: Json | None) -> dict[str, Json]:
    conditions: list[Json] = ((item or {}).get("status") or {}).get("conditions") or []
    return {condition["type"]: condition for condition in conditions}


def _pod(write: Write) -> tuple[str, str] | None:
    old, new = _state(write.before), _state(write.after)
    if write.verb == "delete":
        return (f"stops {write.key}", "plain")
    return (f"{write.key}: {new}", "plain" if new in _WELL else "bad") if old != new else None


def _state(pod: Json | None) -> str:
    """Return the state of a Pod in a word or two."""
    status = (pod or {}).get("status") or {}
    if "reason" in status:
        return str(status["reason"])
    for container in status.get("containerStatuses", []):
        now, before = (container[name] for name in ("state", "lastState"))
        ended = now.get("terminated") or before.get("terminated") or {}
        why = [ended.get("reason"), now.get("waiting", {}).get("reason")]
        if "running" not in now:
            return ", ".join(filter(None, why))
        return "ready" if container["ready"] else "running"
    return next((item["reason"] for item in status.get("conditions", []) if "reason" in item), "")


def _replica_set(write: Write) -> tuple[str, str] | None:
    sizes = [(item or {}).get("spec", {}).get("replicas") for item in (write.before, write.after)]
    return (f"scales {write.key} from {sizes[0]} to {sizes[1]}", "plain") if sizes[0] != sizes[1] else None


def _deployment(write: Write) -> tuple[str, str] | None:
    old, new = (
        [((item or {}).get("status") or {}).get(name, 0) for name in _COUNTS] for item in (write.before, write.after)
    )
    if old == new:
        return None
    asked = (write.after or {})["spec"]["replicas"]
    counts = ", ".join(f"{count} {word}" for count, word in zip(new, _COUNTS.values(), strict=True))
    return (f"{write.key}: {counts} of {asked}", "plain")
