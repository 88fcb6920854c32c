"""A history as JSON, for the page.

The shape of what ``history_json`` returns, with times in seconds since the ``start``::

    {"start": "2026-01-31T12:00:00Z", "end": 61.2, "quiet": true, "problem": null,
     "entries": [
       {"type": "write", "at": 0, "actor": "you", "verb": "create", "object": "MyKind/default/web",
        "text": "creates MyKind web", "tone": "plain", "changed": true, "after": {...}},
       {"type": "call", "at": 0.1, "hook": "sync", "object": ..., "status": 200, "response": {...}},
       {"type": "event", "at": 0.1, "object": ..., "reason": "SyncError", "message": ...}],
     "findings": [{"rule": "CallStorm", "object": ..., "message": ..., "at": 3.0}]}

``after`` is the stored object, null once it is gone; a write that changed nothing has none. ``text`` and ``tone`` are
those of the line in a terminal, null for a write without one. A call has its response if that differs from the last
one.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import msgspec

from metahook import LAST_APPLIED
from metahook.cli.simulation.screen import line_of
from metahook.protocol.objects import Json
from metahook.simulator.findings import findings
from metahook.simulator.history import Call, Entry, Event, Write
from metahook.simulator.world import World

if TYPE_CHECKING:
    from metahook.simulator.objects import Key


def history_json(world: World, problem: str | None = None, bad_states: Collection[str] = ()) -> Json:
    """Return the history of *world* as JSON, with the *problem* that ended it.

    A parent needs help in one of *bad_states*.
    """
    shown = _Shown([parent.kind.kind for parent in world.settings.parents], bad_states)
    entries = [shown.entry(entry) for entry in world.history.entries]
    return {
        "start": world.clock.time_at(0).isoformat().replace("+00:00", "Z"),
        "end": world.clock.now,
        "quiet": not world.clock.is_busy,
        "problem": problem,
        "entries": entries,
        "findings": [
            {"rule": found.rule, "object": "/".join(found.key), "message": found.message, "at": found.at}
            for found in findings(world.history)
        ],
    }


class _Shown:
    """Entries as JSON. It has the last response of each call, to leave out those that are the same."""

    def __init__(self, kinds: Collection[str], bad_states: Collection[str]) -> None:
        self._kinds, self._bad_states = kinds, bad_states
        self._last: dict[tuple[str, Key], bytes] = {}

    def entry(self, entry: Entry) -> Json:
        if isinstance(entry, Call):
            return self._call(entry)
        about = {"at": entry.at, "object": "/".join(entry.key)}
        if isinstance(entry, Event):
            return {"type": "event", **about, "reason": entry.reason, "message": entry.message}
        return {"type": "write", **about, **self._write(entry)}

    def _write(self, write: Write) -> Json:
        line = line_of(write, self._kinds, self._bad_states)
        after = {"after": _readable(write.after)} if write.changed else {}
        refused = {"refused": write.refused} if write.refused else {}
        return {
            "actor": write.actor,
            "verb": write.verb,
            "text": line and line.text,
            "tone": line and line.tone,
            "changed": write.changed,
            **after,
            **refused,
        }

    def _call(self, call: Call) -> Json:
        about = {"at": call.at, "object": "/".join(call.key)}
        shown: Json = {"type": "call", **about, "hook": call.hook, "status": call.status}
        if call.problem:
            shown["error"] = call.problem
        if self._last.get((call.hook, call.key)) != call.response:
            self._last[call.hook, call.key] = call.response
            shown["response"] = _decoded(call.response)
        return shown


def _decoded(response: bytes) -> Any:  # noqa: ANN401 - whatever the hook has sent
    try:
        return msgspec.json.decode(response)
    except (msgspec.DecodeError, RecursionError):
        return response.decode(errors="replace")


def _readable(item: Json | None) -> Json | None:
    """Return *item* without records of what was applied, which are long, and tell nobody anything."""
    if item is None:
        return None
    metadata = {name: value for name, value in item["metadata"].items() if name != "managedFields"}
    annotations = {name: value for name, value in (metadata.get("annotations") or {}).items() if name != LAST_APPLIED}
    metadata.pop("annotations", None)
    return {**item, "metadata": {**metadata, **({"annotations": annotations} if annotations else {})}}
