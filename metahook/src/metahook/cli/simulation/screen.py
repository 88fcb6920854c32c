"""The output of a simulation: coloured on a terminal, plain lines elsewhere, or JSON, one object a line."""

import textwrap
from collections.abc import Callable, Collection
from typing import Any

import msgspec
from rich.console import Console
from rich.text import Text

from metahook.cli.simulation.timeline import Line, line_of
from metahook.protocol.printable import counted
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


class Lines:
    """Lines for people. *brief* leaves out Kubernetes' own controllers, and details. *wrap* breaks long ones."""

    def __init__(
        self, parent_kinds: Collection[str], console: Console, *, brief: bool, wrap: Wrap = wrap_words
    ) -> None:
        self._wrap = wrap
        self._parent_kinds = parent_kinds
        self._console = console
        self._brief = brief

    def entry(self, entry: Entry) -> None:
        """Show the line for *entry*, if it has one."""
        line = line_of(entry, self._parent_kinds)
        if line is not None and not (self._brief and (line.actor not in _ACTORS or line.tone == "detail")):
            self._console.print(_drawn(line, self._console, self._wrap), soft_wrap=True)

    def say(self, text: str, tone: str = "plain") -> None:
        """Show a sentence, or an empty line."""
        width = _width(self._console)
        lines = [line if line.startswith(" ") or not width else self._wrap(line, width, 0) for line in text.split("\n")]
        self._console.print(Text("\n".join(lines), _STYLES[tone]), soft_wrap=True)

    def end(self, summary: dict[str, Any]) -> None:
        """Show the summary as a sentence, and the findings."""
        words = "Quiet" if summary["quiet"] else "Stopped"
        calls, writes = counted(summary["calls"], "hook call"), counted(summary["writes"], "write")
        self.say(f"\n{words} after {summary['at']:.1f} s: {calls}, {writes} by Metacontroller.")
        for finding in summary["findings"]:
            self.say(f"{finding['rule']}: {finding['object']}: {finding['message']}", "bad")


def _drawn(line: Line, console: Console, wrap: Wrap) -> Text:
    """Return *line*, wrapped below its own text on a terminal, and in one piece elsewhere."""
    text = Text().append(f"{line.at:9.2f}s  ", "dim").append(f"{line.actor:22}", _ACTORS.get(line.actor, "dim"))
    width = _width(console)
    return text.append(wrap(line.text, width, INDENT) if width else line.text, _STYLES[line.tone])


def _width(console: Console) -> int:
    """Return the columns of *console*; 0 if it is not a terminal."""
    return console.width if console.is_terminal or console.record else 0


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
        self._console.out(msgspec.json.encode(value).decode(), highlight=False)


Screen = Lines | JsonLines


class Terminal(Console):
    """A console that lets the command handle a closed pipe."""

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError, where rich ends the process."""
        raise BrokenPipeError
