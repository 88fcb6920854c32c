"""The Events of a MyResource, of its children and of their Pods, oldest first."""

from collections.abc import Iterable, Sequence
from typing import Any

from app.cli.plugin.tree import Node
from app.cli.wrapping import table
from metahook.protocol.printable import printable

Json = dict[str, Any]

_ERROR = "SyncError"
"""The reason of Metacontroller's Events about a sync that failed."""


def related_events(root: Node, events: Iterable[Json]) -> list[Json]:
    """Return those of *events* that are about an object of the tree, or about a Pod that one of its ReplicaSets had."""
    uids = {item["metadata"]["uid"] for item in root.items()}
    prefixes = tuple(f"{item['metadata']['name']}-" for item in root.items() if item["kind"] == "ReplicaSet")
    return sorted((event for event in events if _is_about(event["involvedObject"], uids, prefixes)), key=_order)


def last_error(parent: Json, events: Iterable[Json]) -> str:
    """Return the message and the time of the newest error of a sync of *parent* among *events*; empty without one.

    Metacontroller puts there what the API server answers when it rejects a child. The status can't have it.
    """
    uid = parent["metadata"]["uid"]
    errors = [each for each in events if each.get("reason") == _ERROR and each["involvedObject"].get("uid") == uid]
    newest = max(errors, key=_order, default=None)
    return f"{printable(_message(newest))} (last seen {_time(newest)})" if newest else ""


def text(events: Sequence[Json]) -> str:
    """Return a table of *events*."""
    return table([("LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"), *map(_row, events)])


def _is_about(involved: Json, uids: set[str], prefixes: tuple[str, ...]) -> bool:
    """Return whether an Event is about an object with one of the *uids*, or about a Pod, also one that is gone."""
    is_its_pod = involved.get("kind") == "Pod" and involved.get("name", "").startswith(prefixes)
    return involved.get("uid") in uids or is_its_pod


def _message(event: Json) -> str:
    return " ".join((event.get("message") or "").split())


def _row(event: Json) -> tuple[str, str, str, str, str]:
    involved = event["involvedObject"]
    count = event.get("count") or _series(event).get("count", 1)
    times = f" ({count} times)" if count > 1 else ""
    target = f"{involved.get('kind')}/{involved.get('name')}"
    return _time(event), event.get("type") or "", event.get("reason") or "", target, f"{_message(event)}{times}"


def _order(event: Json) -> tuple[str, int, str]:
    """Return the sort key: the time, and in one second the resourceVersion, a number of increasing length."""
    version = event["metadata"]["resourceVersion"]
    return _time(event), len(version), version


def _time(event: Json) -> str:
    """Return when the Event was last seen, to the second. Newer clients of the API set only eventTime and series."""
    times = (
        _series(event).get("lastObservedTime"),
        event.get("lastTimestamp"),
        event.get("eventTime"),
        event["metadata"].get("creationTimestamp"),
    )
    return f"{next(filter(None, times), '')[:19]}Z"


def _series(event: Json) -> Json:
    return event.get("series") or {}
