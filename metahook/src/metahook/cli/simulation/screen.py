"""The output of a simulation: coloured on a terminal, plain lines elsewhere, or JSON, one object a line."""

import sys
import textwrap
from collections.abc import Callable, Collection
from typing import Any, Protocol

import msgspec

from metahook.cli.simulation.timeline import Line, line_of
from metahook.protocol.objects import counted
from metahook.simulator.apiserver.server_side_apply import SCALER
from metahook.simulator.history import Entry, Event, Write

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
