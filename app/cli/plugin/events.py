"""The last error of a sync of a MyResource, from the Events about it."""

from collections.abc import Iterable
from typing import Any

from metahook.commands import printable

Json = dict[str, Any]

_ERROR = "SyncError"
"""The reason of Metacontroller's Events about a sync that failed."""


def last_error(parent: Json, events: Iterable[Json]) -> str:
    """Return the message and the time of the newest error of a sync of *parent* among *events*; empty without one.

    Metacontroller puts there what the API server answers when it rejects a child. The status can't have it.
    """
    uid = parent["metadata"]["uid"]
    errors = [each for each in events if each.get("reason") == _ERROR and each["involvedObject"].get("uid") == uid]
    newest = max(errors, key=_order, default=None)
    return f"{printable(_message(newest))} (last seen {_time(newest)})" if newest else ""


def _message(event: Json) -> str:
    return " ".join((event.get("message") or "").split())


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
