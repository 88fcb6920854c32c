"""The output of a simulation: each entry of its history as a line of a timeline.

It is coloured on a terminal, plain lines elsewhere, or JSON, one object a line.
"""

import json
import sys
import textwrap
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import msgspec
from msgspec import UNSET

from metahook import LAST_APPLIED
from metahook.protocol.objects import Json, changes, counted
from metahook.simulator.apiserver.server_side_apply import SCALER
from metahook.simulator.history import Entry, Event, Write
from metahook.simulator.objects import is_deleting

_RECORDS = (f"metadata.annotations[{LAST_APPLIED}]", "metadata.managedFields")
"""Records of what was applied, which are long."""

_HEALTHY = ("ready", "running", "ContainerCreating")
"""States of a Pod that are not problems."""

_COUNTS = {"updatedReplicas": "updated", "replicas": "total", "availableReplicas": "available"}
"""Counts of a Deployment's status, with the words of ``kubectl describe deployment``."""


_Show = Callable[[Write], tuple[str, str] | None]
"""Returns the text and the tone for a write, or None."""


@dataclass(frozen=True)
class Line:
    """``at`` is in seconds. ``tone`` is good, bad, busy, plain, or detail for a line that ``--brief`` leaves out."""

    at: float
    actor: str
    text: str
    tone: str = "plain"


def line_of(entry: Entry, parent_kinds: Collection[str], bad_states: Collection[str] = ()) -> Line | None:
    """Return the line for *entry*, or None for a hook call and for a write that is not worth a line.

    A parent of *parent_kinds* needs help if its state is one of *bad_states*.
    """
    if isinstance(entry, Event):
        return Line(entry.at, "metacontroller", f"{entry.reason}: {entry.key}: {entry.message}", "bad")
    if not isinstance(entry, Write):
        return None
    if entry.refused:
        return Line(entry.at, entry.actor, f"cannot {entry}: {entry.refused}", "bad")
    shown = _shown(entry, parent_kinds, bad_states) if entry.changed else None
    return Line(entry.at, entry.actor, *shown) if shown else None


def _shown(write: Write, parent_kinds: Collection[str], bad_states: Collection[str]) -> tuple[str, str] | None:
    """Return the text and the tone for *write*, or None."""
    if write.before is None:
        return f"creates {write.key}", "plain"
    if write.after is None:
        return f"{'removes' if is_deleting(write.before) else 'deletes'} {write.key}", "plain"
    kinds: dict[str, _Show] = {"Pod": _pod, "ReplicaSet": _replica_set}
    statuses: dict[str, _Show] = {
        "Deployment": _deployment,
        **dict.fromkeys(parent_kinds, partial(_parent, bad_states=bad_states)),
    }
    of_status = statuses.get(write.key.kind) if write.verb == "update status" else None
    return (kinds.get(write.key.kind) or of_status or _update)(write)


def _update(write: Write) -> tuple[str, str] | None:
    if write.actor in ("deployment-controller", "garbage-collector") and write.verb != "delete":
        return None
    parts = ["status"] if write.verb == "update status" else ["spec", "data", "metadata"]
    change = next(filter(None, (_first_change(write, part) for part in parts)), "")
    return (f"deletes {write.key}" if write.verb == "delete" else f"updates {write.key}: {change}", "plain")


def _first_change(write: Write, part: str) -> str:
    """Return the first changed field in *part* of an object, with its new value unless it is a Secret or a record."""
    old, new = ((item or {}).get(part, UNSET) for item in (write.before, write.after))
    change = min(
        changes(old, new, part), default=None, key=lambda change: (change.path.startswith(_RECORDS), change.path)
    )
    if change is None:
        return ""
    if change.new is UNSET:
        return f"{change.path} removed"
    is_bare = write.key.kind == "Secret" or change.path.startswith(_RECORDS)
    return change.path if is_bare else f"{change.path}={_as_text(change.new)}"


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _parent(write: Write, bad_states: Collection[str]) -> tuple[str, str] | None:
    """Return the state, and the reason and message of Ready; or the other conditions that changed."""
    old, new = (_conditions(item) for item in (write.before, write.after))
    ready = new.get("Ready", {})
    before, state = _parent_state(write.before), _parent_state(write.after)
    tone = {"True": "good"}.get(ready.get("status", ""), "bad" if state in bad_states else "busy")
    if _summary(state, ready) != _summary(before, old.get("Ready", {})):
        reason = ready.get("reason")
        name = f"{write.key} is {state}" if state else f"{write.key}: Ready is {ready.get('status')}"
        shown = name if reason in (None, state) else f"{name} ({reason})"
        return (": ".join([shown, *filter(None, [ready.get("message")])]), tone)
    changed = [kind for kind in sorted(new) if new[kind].get("status") != old.get(kind, {}).get("status")]
    conditions = ", ".join(f"{kind} is {new[kind].get('status')}" for kind in changed)
    return (f"{write.key}: {conditions or _first_change(write, 'status')}", "detail")


def _parent_state(parent: Json | None) -> str | None:
    """Return the word in which *parent* says how it is: ``state``, or ``phase``."""
    status = (parent or {}).get("status") or {}
    return next((word for name in ("state", "phase") if isinstance(word := status.get(name), str)), None)


def _summary(state: object, ready: Json) -> list[object]:
    return [state, *(ready.get(name) for name in ("status", "reason", "message"))]


def _conditions(item: Json | None) -> dict[str, Json]:
    conditions: list[Json] = ((item or {}).get("status") or {}).get("conditions") or []
    return {condition["type"]: condition for condition in conditions}


def _pod(write: Write) -> tuple[str, str] | None:
    old, new = _state(write.before), _state(write.after)
    if write.verb == "delete":
        return (f"deletes {write.key}", "plain")
    return (f"{write.key}: {new}", "plain" if new in _HEALTHY else "bad") if old != new else None


def _state(pod: Json | None) -> str:
    """Return the state of a Pod as in the STATUS column of ``kubectl get pods``."""
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
    desired = (write.after or {})["spec"]["replicas"]
    counts = ", ".join(f"{count} {word}" for count, word in zip(new, _COUNTS.values(), strict=True))
    return (f"{write.key}: {desired} desired, {counts}", "plain")


Wrap = Callable[[str, int, int], str]
"""Breaks a text into lines of a width, and indents all but the first."""

INDENT = 34
"""Columns of the time and the actor."""

MIN_WIDTH = 40
"""Columns that text gets on a narrower terminal, too."""

_STYLES = {"good": "bold green", "bad": "bold red", "busy": "yellow", "plain": "", "detail": "dim"}
_ACTORS = {"you": "bold cyan", "metacontroller": "magenta", "garbage-collector": "dim", SCALER: "yellow"}
"""The actors that ``--brief`` shows, and their colours."""


def wrap_words(text: str, width: int, indent: int = 0) -> str:
    """Return *text* in lines of at most *width* columns, longer only for one long word; the first is not indented."""
    lines = textwrap.wrap(text, max(width - indent, MIN_WIDTH), break_long_words=False, break_on_hyphens=False)
    return f"\n{'':{indent}}".join(lines)


Part = tuple[str, str]
"""A text and its style."""


class Console(Protocol):
    """Where the lines go."""

    @property
    def columns(self) -> int:
        """The columns of a terminal; 0 elsewhere, where a line is a line."""

    def write(self, *parts: Part) -> None:
        """Write *parts* as a line, or as lines."""


class Plain:
    """Standard output, without styles."""

    columns = 0
    is_terminal = property(lambda _: sys.stdout.isatty())

    def write(self, *parts: Part) -> None:
        """Write the texts."""
        print("".join(text for text, _ in parts))


class Lines:
    """Lines for people. *brief* leaves out Kubernetes' own controllers, and details. *wrap* breaks long ones."""

    def __init__(
        self,
        parent_kinds: Collection[str],
        console: Console,
        *,
        brief: bool,
        wrap: Wrap = wrap_words,
        bad_states: Collection[str] = (),
    ) -> None:
        self._wrap = wrap
        self._bad_states = bad_states
        self._parent_kinds = parent_kinds
        self._console = console
        self._brief = brief

    def entry(self, entry: Entry) -> None:
        """Show the line for *entry*, if it has one."""
        line = line_of(entry, self._parent_kinds, self._bad_states)
        if line is not None and not (self._brief and (line.actor not in _ACTORS or line.tone == "detail")):
            self._console.write(*_drawn(line, self._console.columns, self._wrap))

    def say(self, text: str, tone: str = "plain") -> None:
        """Show a sentence, or an empty line."""
        width = self._console.columns
        lines = [line if line.startswith(" ") or not width else self._wrap(line, width, 0) for line in text.split("\n")]
        self._console.write(("\n".join(lines), _STYLES[tone]))

    def end(self, summary: dict[str, Any]) -> None:
        """Show the summary as a sentence, and the findings."""
        words = "Quiet" if summary["quiet"] else "Stopped"
        calls, writes = counted(summary["calls"], "hook call"), counted(summary["writes"], "write")
        self.say(f"\n{words} after {summary['at']:.1f} s: {calls}, {writes} by Metacontroller.")
        for finding in summary["findings"]:
            self.say(f"{finding['rule']}: {finding['object']}: {finding['message']}", "bad")


def _drawn(line: Line, columns: int, wrap: Wrap) -> list[Part]:
    """Return *line*, wrapped below its own text on a terminal of *columns*, and in one piece elsewhere."""
    text = wrap(line.text, columns, INDENT) if columns else line.text
    return [
        (f"{line.at:9.2f}s  ", "dim"),
        (f"{line.actor:22}", _ACTORS.get(line.actor, "dim")),
        (text, _STYLES[line.tone]),
    ]


class JsonLines:
    """JSON for programs: one object a line, the summary last."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def entry(self, entry: Entry) -> None:
        """Show writes and Events, including writes that change nothing."""
        if isinstance(entry, Write):
            status = (entry.after or {}).get("status") or {}
            shown = {"status": status} if entry.verb == "update status" else {}
            self._print(
                {
                    "at": entry.at,
                    "actor": entry.actor,
                    "verb": entry.verb,
                    "object": "/".join(entry.key),
                    "changed": entry.changed,
                    **({"refused": entry.refused} if entry.refused else {}),
                    **shown,
                }
            )
        elif isinstance(entry, Event):
            self._print(
                {"at": entry.at, "event": entry.reason, "object": "/".join(entry.key), "message": entry.message}
            )

    def say(self, text: str, tone: str = "plain") -> None:
        """Show a sentence, unless it is empty."""
        if text.strip():
            self._print({"say": text.strip(), "tone": tone})

    def end(self, summary: dict[str, Any]) -> None:
        """Show the summary."""
        self._print({"summary": summary})

    def _print(self, value: dict[str, Any]) -> None:
        self._console.write((msgspec.json.encode(value).decode(), ""))


Screen = Lines | JsonLines
