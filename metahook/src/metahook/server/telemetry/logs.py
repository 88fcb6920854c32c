"""The log on stderr: a line of JSON for each record, or text for people at a terminal.

All logging goes through :mod:`logging`, so that a hook's author can set it up in another way. Here, it is rendered: the
lines of metahook, those of the hook's author, and those of the libraries.
"""

import json
import logging
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from select import PIPE_BUF, select
from typing import Any, Literal

from metahook.protocol.objects import printable
from metahook.server.telemetry.error_location import error_location
from metahook.server.telemetry.log_event import LogEvent
from metahook.server.telemetry.log_rate import LOG_RATE

Format = Literal["auto", "json", "console"]
"""How a line is written; auto is console on a terminal, and else json."""
Level = Literal["debug", "info", "warning", "error"]
"""The least important lines that are written."""
Fields = dict[str, Any]

_LIBRARIES = ("asyncio", "concurrent", "uvicorn")
"""Loggers whose messages and exceptions may have what they were called with, such as a piece of a request."""

_END = re.compile(r"[<(:\n]")
"""Where the fixed part of a library's message ends."""


@dataclass(frozen=True)
class LogOptions:
    """What is logged, and how."""

    format: Format = "auto"
    """``auto`` is ``console`` on a terminal, and else ``json``."""
    level: Level = "info"
    rate: float = LOG_RATE
    """Lines of calls a second; level ``debug`` has a line for each call."""


DEFAULT_LOG = LogOptions()
"""The log of a server that is given no options."""


def _ignore(_: int) -> None:
    """Do nothing with a number of lines."""


class LogHandler(logging.Handler):
    """Writes lines to *descriptor*; never waits for its reader, which may have stopped reading.

    A line for which there is no room is dropped. *omitted* is called with 1, and a later line has the number of them.
    """

    def __init__(self, descriptor: int, omitted: Callable[[int], object] = _ignore) -> None:
        super().__init__()
        self._descriptor = _own_terminal(descriptor)
        self._omitted = omitted
        self._dropped = 0
        self._is_cut = False
        """Whether the last line has no end."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line of *record*, or drop it."""
        if self._dropped:
            about = LogEvent("log lines dropped", count=self._dropped)
            if not self._write(logging.makeLogRecord({"msg": about, "levelname": "WARNING"})):
                self._drop()
                return
            self._dropped = 0
        if not self._write(record):
            self._drop()

    def _drop(self) -> None:
        self._dropped += 1
        self._omitted(1)

    def _write(self, record: logging.LogRecord) -> bool:
        """Return whether all of the line of *record* is written."""
        line = self._line(record)
        rest = b"\n" + line if self._is_cut else line
        while rest and self._has_room():
            try:
                rest = rest[os.write(self._descriptor, rest[:PIPE_BUF]) :]
            except OSError:  # nobody reads any more, or the disk is full
                break
            self._is_cut = bool(rest)
        return not rest

    def _has_room(self) -> bool:
        """Tell whether PIPE_BUF bytes can be written at once."""
        return bool(select([], [self._descriptor], [], 0)[1])

    def _line(self, record: logging.LogRecord) -> bytes:
        try:
            text = self.format(record)
        except Exception:  # noqa: BLE001 - a mistake in a call of the log, whose arguments may be of any type
            text = f"can't write the log line of {record.pathname}:{record.lineno}"
        return f"{text}\n".encode(errors="backslashreplace")


def _own_terminal(descriptor: int) -> int:
    """Return a descriptor of the same terminal that never blocks, or *descriptor* if it is none.

    A terminal is ready as soon as it has some room, and a write then waits for the rest. The new descriptor shares no
    flags with that of other processes.
    """
    if not os.isatty(descriptor):
        return descriptor
    try:
        return os.open(f"/dev/fd/{descriptor}", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:  # it may belong to another user
        return descriptor


def set_up_logging(options: LogOptions = DEFAULT_LOG, omitted: Callable[[int], object] = _ignore) -> None:
    """Log to stderr, unless logging is set up already; *omitted* is called with the number of lines that are dropped.

    Without stderr there is no log.
    """
    root = logging.getLogger()
    if root.handlers:
        return
    # The descriptor is taken in any case: what is opened next would have the number of stderr.
    descriptor = sys.stderr.fileno() if sys.stderr else os.open(os.devnull, os.O_WRONLY)
    handler = LogHandler(descriptor, omitted)
    handler.setFormatter(formatter(options.format, is_terminal=os.isatty(descriptor)))
    root.addHandler(handler)
    root.setLevel(options.level.upper())
    logging.getLogger("uvicorn").setLevel(logging.WARNING)


def formatter(format_: Format, *, is_terminal: bool) -> logging.Formatter:
    """Return the formatter of the log."""
    is_json = format_ == "json" or (format_ == "auto" and not is_terminal)
    return _Formatter(json.JSONEncoder(default=repr).encode if is_json else _for_people)


class _Formatter(logging.Formatter):
    """Writes the fields of a record as *render* returns them."""

    def __init__(self, render: Callable[[Fields], str]) -> None:
        super().__init__()
        self._render = render

    def format(self, record: logging.LogRecord) -> str:
        return self._render(self._fields(record))

    def _fields(self, record: logging.LogRecord) -> Fields:
        """Return the fields of *record*, in the order in which they are written."""
        line: object = record.msg
        head = {"time": _time(record), "level": record.levelname.lower()}
        if isinstance(line, LogEvent):
            return {**head, "event": line.event, **line.fields, **self._traces(record)}
        head["logger"] = record.name
        if record.name.partition(".")[0] not in _LIBRARIES:
            return {**head, "event": record.getMessage(), **self._traces(record)}
        error = record.exc_info[1] if record.exc_info else None
        fixed = _END.split(record.getMessage(), maxsplit=1)[0].strip()
        return {**head, "event": fixed, **({"where": error_location(error)} if error else {})}

    def _traces(self, record: logging.LogRecord) -> Fields:
        """Return the exception and the stack of *record*, if it has them."""
        exception = self.formatException(record.exc_info) if record.exc_info and record.exc_info[0] else None
        traces = {"exception": exception, "stack_info": record.stack_info}
        return {name: text for name, text in traces.items() if text}


def _time(record: logging.LogRecord) -> str:
    """Return when *record* was made, in RFC 3339."""
    at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    return at.replace("+00:00", "Z")


def _for_people(fields: Fields) -> str:
    """Return *fields*, which may hold anything, as text: none moves the cursor, and lists have lines of their own."""
    time, level, event = (printable(str(fields.pop(name))) for name in ("time", "level", "event"))
    logger, exception = fields.pop("logger", ""), fields.pop("exception", "")
    source = f" [{logger}]" if logger else ""
    traces = [printable(line) for line in exception.splitlines()]
    return "\n".join([f"{time} [{level}] {LogEvent(event, **fields)}{source}", *traces])
