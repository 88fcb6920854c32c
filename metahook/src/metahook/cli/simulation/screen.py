"""The output of a simulation: the entries of its history as lines of a timeline, all of them or the story.

It is coloured on a terminal, plain lines elsewhere, or JSON, one object a line.
"""

import json
import math
import sys
import textwrap
from collections.abc import Callable, Collection
from datetime import timedelta
from functools import partial
from typing import Any, Protocol

import msgspec
from msgspec import UNSET

from metahook import LAST_APPLIED
from metahook.protocol.objects import Json, changes, counted
from metahook.simulator.apiserver.server_side_apply import SCALER
from metahook.simulator.clock import START
from metahook.simulator.controllers.garbage_collector import NAME as COLLECTOR
from metahook.simulator.history import YOU, Entry, Event, Write
from metahook.simulator.metacontroller.children import NAME as METACONTROLLER
from metahook.simulator.objects import is_deleting
from metahook.simulator.scenarios import Step

_RECORDS = (f"metadata.annotations[{LAST_APPLIED}]", "metadata.managedFields")
"""Records of what was applied, which are long."""

_HEALTHY = ("ready", "running", "ContainerCreating")
"""States of a Pod that are not problems."""

_COUNTS = {"updatedReplicas": "updated", "replicas": "total", "availableReplicas": "available"}
"""Counts of a Deployment's status, with the words of ``kubectl describe deployment``."""


_Show = Callable[[Write], tuple[str, str] | None]
"""Returns the text and the tone for a write, or None."""


class Line(msgspec.Struct, frozen=True):
    """``at`` is in seconds. ``tone`` is good, bad, busy, plain, or detail for a status without another state."""

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


LASTING = 10.0
"""Simulated seconds after which a state belongs to the story, even if another one follows."""


class Story:
    """Chooses what to show: each change by hand or by an autoscaler, and what became of it.

    That is the last state of each parent, and problems. If no state changed, or a child did by hand, it is also what
    Metacontroller wrote, and what was deleted. *show* gets the lines.
    """

    def __init__(self, show: Callable[[Line], None], parent_kinds: Collection[str]) -> None:
        self._show = show
        self._parent_kinds = parent_kinds
        self._children: set[str] = set()
        self._held: dict[tuple[str, object], Line] = {}
        self._last = 0.0
        self._problems: set[str] = set()
        self._is_about_child = False

    def add(self, entry: Entry, line: Line) -> None:
        """Show the *line* of *entry*, or hold it until it is clear that it belongs to the story."""
        if line.actor in (YOU, SCALER):
            self.finish()
            self._show(line)
            self._is_about_child = entry.key.kind in self._children
        elif line.actor == METACONTROLLER or (line.actor == COLLECTOR and entry.key.kind in self._children):
            self._hold(entry, line)

    def _hold(self, entry: Entry, line: Line) -> None:
        what, replaces = self._class_of(entry, line)
        if what == "problem":
            if line.text in self._problems:
                return
            self._problems.add(line.text)
        if what == "write":
            self._children |= {entry.key.kind}.difference(self._parent_kinds)
        self._held.pop((what, replaces), None)
        self._held[what, replaces] = line
        self._last = line.at

    def _class_of(self, entry: Entry, line: Line) -> tuple[str, object]:
        """Return what *line* is, and a key: it takes the place of a line with the same two."""
        is_status = isinstance(entry, Write) and entry.verb == "update status" and not entry.refused
        if is_status and entry.key.kind in self._parent_kinds:
            return "detail" if line.tone == "detail" else "state", entry.key
        return "problem" if line.tone == "bad" else "write", line

    def time_passes(self, until: float) -> None:
        """Show what is held if nothing follows it for long before *until*."""
        if self._held and until - self._last >= LASTING:
            self._flush()

    def finish(self) -> None:
        """Show what is held, and begin with the next change."""
        self._flush()
        self._problems.clear()
        self._is_about_child = False

    def _flush(self) -> None:
        has_state = any(what == "state" for what, _ in self._held)
        hidden = {"detail": has_state, "write": has_state and not self._is_about_child}
        for (what, _), line in self._held.items():
            if not hidden.get(what):
                self._show(line)
        self._held.clear()


Wrap = Callable[[str, int, int], str]
"""Breaks a text into lines of a width, and indents all but the first."""

MIN_WIDTH = 40
"""Columns that text gets on a narrower terminal, too."""

_STYLES = {"good": "bold green", "bad": "bold red", "busy": "yellow", "plain": "", "detail": "dim"}
_ACTORS = {YOU: "bold cyan", METACONTROLLER: "magenta", SCALER: "yellow"}
"""The colours of the actors; others are dim."""


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
        print("".join(text for text, _ in parts), flush=True)


class Lines:
    """Lines for people: the story, or all lines. *wrap* breaks long ones."""

    def __init__(
        self,
        parent_kinds: Collection[str],
        console: Console,
        *,
        shows_all: bool,
        wrap: Wrap = wrap_words,
        bad_states: Collection[str] = (),
    ) -> None:
        self.pause: Callable[[float], object] = lambda _: None
        """Called before a line with the simulated seconds since the last one, to give time to read."""
        self._wrap = wrap
        self._bad_states = bad_states
        self._parent_kinds = parent_kinds
        self._console = console
        self._shows_all = shows_all
        self._story = Story(self._show, parent_kinds)
        self._shown = 0.0

    def entry(self, entry: Entry) -> None:
        line = line_of(entry, self._parent_kinds, self._bad_states)
        if line is None:
            return
        if self._shows_all:
            self._show(line)
        else:
            self._story.add(entry, line)

    def step(self, step: Step, at: float) -> None:
        """Show what a scenario says of *step*, and what you do in it that writes no object."""
        if step.say:
            self.say(f"\n{step.say}")
        if action := _action(step):
            self._story.finish()
            self._show(Line(at, YOU, action))

    def time_passes(self, until: float) -> None:
        """Show what is clear by then."""
        self._story.time_passes(until)

    def say(self, text: str, tone: str = "plain") -> None:
        """Show a sentence, or an empty line."""
        self._story.finish()
        width = self._console.columns
        lines = [line if line.startswith(" ") or not width else self._wrap(line, width, 0) for line in text.split("\n")]
        self._console.write(("\n".join(lines), _STYLES[tone]))
        self._shown = -math.inf

    def end(self, summary: dict[str, Any]) -> None:
        """Show the summary as a sentence, and the findings."""
        words = "Quiet since" if summary["quiet"] else "Stopped at"
        calls, writes = counted(summary["calls"], "hook call"), counted(summary["writes"], "write")
        self.say(f"\n{words} {clock(summary['at'])}: {calls}, {writes} by Metacontroller.")
        for finding in summary["findings"]:
            self.say(f"{finding['rule']}: {finding['object']}: {finding['message']}", "bad")

    def _show(self, line: Line) -> None:
        self.pause(line.at - self._shown)
        self._shown = line.at
        stamp = f"{clock(line.at, exact=self._shows_all)}  "
        actor = f"{line.actor:{21 if self._shows_all else 17}} "
        indent, columns = len(stamp) + len(actor), self._console.columns
        text = line.text
        if columns and columns - indent < MIN_WIDTH:
            actor, text = actor.rstrip(), f"\n  {self._wrap(text, columns, 2)}"
        elif columns:
            text = self._wrap(text, columns, indent)
        self._console.write((stamp, "dim"), (actor, _ACTORS.get(line.actor, "dim")), (text, _STYLES[line.tone]))


def _action(step: Step) -> str:
    """Return what you do in a *step* that writes no object; empty for others."""
    if step.fail:
        actions = {"none": "ends the failure of containers", "fight": "starts an autoscaler"}
        return actions.get(step.fail, f"makes containers fail ({step.fail})")
    if step.refuse:
        return "ends the refusal" if step.refuse == "none" else f"makes the API server refuse each new {step.refuse}"
    return "restarts Metacontroller" if step.restart else ""


def clock(at: float, *, exact: bool = False) -> str:
    """Return the simulated time *at* as a clock and a day: ``12:00:05, day 1``; *exact* has hundredths of a second."""
    time = START + timedelta(seconds=round(at, 2))
    hundredths = f".{time.microsecond // 10_000:02}" if exact else ""
    return f"{time:%H:%M:%S}{hundredths}, day {(time.date() - START.date()).days + 1}"


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

    def step(self, step: Step, _: float) -> None:
        """Show what a scenario says of *step*."""
        self.say(step.say or "")

    def time_passes(self, until: float) -> None:
        """Nothing waits to be shown."""

    def say(self, text: str, tone: str = "plain") -> None:
        """Show a sentence, unless it is empty."""
        if text.strip():
            self._print({"say": text.strip(), "tone": tone})

    def end(self, summary: dict[str, Any]) -> None:
        self._print({"summary": summary})

    def _print(self, value: dict[str, Any]) -> None:
        self._console.write((msgspec.json.encode(value).decode(), ""))


Screen = Lines | JsonLines
