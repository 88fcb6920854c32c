"""The log on stderr: a line of JSON for each record, or text for people at a terminal.

All logging goes through :mod:`logging`, so that a hook's author can set it up in another way. Here, it is rendered: the
lines of metahook, those of the hook's author, and those of the libraries.
"""

import json
import logging
import re
import sys
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from select import select
from typing import Any, TextIO

from metahook.protocol.controller import MisusedException
from metahook.protocol.gate import RefusedResponse
from metahook.protocol.objects import printable
from metahook.protocol.observed import UndeclaredKind
from metahook.server.options import DEFAULT_LOG, Format, LogOptions

Value = str | int | float | list[str] | dict[str, str]
Fields = dict[str, Any]

INNERMOST, OUTERMOST = 10, 5
"""Frames of a long traceback that are shown: a recursion may have thousands."""

_WORD = re.compile(r"[^\s=\"]+")

_LIBRARIES = ("asyncio", "uvicorn")
"""Loggers whose messages and exceptions may have what they were called with, such as a piece of a request."""

_END = re.compile(r"[<(:\n]")
"""Where the fixed part of a library's message ends."""


class LogEvent:
    """The message of a log record: an event, which is a constant text, and its fields.

    As a text it has its fields, too. A value that is a list has a line of its own for each item.
    """

    __slots__ = ("event", "fields")

    def __init__(self, event: str, /, **fields: Value) -> None:
        self.event = event
        self.fields = fields

    def __str__(self) -> str:
        """Return such as ``hook called hook=/sync name=web``."""
        words = [f" {name}={_shown(value)}" for name, value in self.fields.items() if not isinstance(value, list)]
        lists = [value for value in self.fields.values() if isinstance(value, list)]
        return "".join([self.event, *words, *(f"\n  {printable(item)}" for value in lists for item in value)])


def _shown(value: object) -> str:
    """Return *value* as a field shows it to people: in quotation marks if it could be taken for more than one field."""
    words = [f"{name}={part}" for name, part in value.items()] if isinstance(value, dict) else [value]
    text = printable(" ".join(map(str, words)))
    return text if _WORD.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def error_location(error: BaseException) -> str:
    """Return the type of *error* and its traceback in one line; its text only if it can't hold the request."""
    places = [f"{frame.filename}:{frame.lineno}" for frame in reversed(traceback.extract_tb(error.__traceback__))]
    if len(places) > INNERMOST + OUTERMOST:
        places[INNERMOST:-OUTERMOST] = ["..."]
    text = f" ({error})" if isinstance(error, RefusedResponse | UndeclaredKind | MisusedException) else ""
    return f"{type(error).__name__}{text} at {' < '.join(places)}"


def set_up_logging(options: LogOptions = DEFAULT_LOG) -> None:
    """Log to stderr, if there is one, unless logging is set up already."""
    root = logging.getLogger()
    if root.handlers or not sys.stderr:
        return
    handler = _StderrHandler()
    handler.setFormatter(formatter(options.format, is_terminal=sys.stderr.isatty()))
    root.addHandler(handler)
    root.setLevel(options.level.upper())
    # No line has these, and each record would ask the system for them.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    logging.getLogger("uvicorn").setLevel(logging.ERROR)  # it warns of each request that it refuses


class _StderrHandler(logging.StreamHandler[TextIO]):
    """Writes to stderr, and drops a line for which there is no room: a reader that has stopped stops no hook."""

    def emit(self, record: logging.LogRecord) -> None:
        if select([], [self.stream], [], 0)[1]:
            super().emit(record)


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
        try:
            return self._render(self._fields(record))
        except Exception:  # noqa: BLE001 - a mistake in a call of the log, whose arguments may be of any type
            return self._render(
                {**self._begin(record), "event": f"wrong arguments at {record.pathname}:{record.lineno}"}
            )

    def _fields(self, record: logging.LogRecord) -> Fields:
        """Return the fields of *record*, in the order in which they are written."""
        line: object = record.msg
        fields = self._begin(record)
        if isinstance(line, LogEvent):
            return {**fields, "event": line.event, **line.fields, **self._traces(record)}
        fields["logger"] = record.name
        if record.name.partition(".")[0] not in _LIBRARIES:
            return {**fields, "event": record.getMessage(), **self._traces(record)}
        error = record.exc_info[1] if record.exc_info else None
        fixed = _END.split(record.getMessage(), maxsplit=1)[0].strip()
        return {**fields, "event": fixed, **({"where": error_location(error)} if error else {})}

    def _begin(self, record: logging.LogRecord) -> Fields:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {"time": at, "level": record.levelname.lower()}

    def _traces(self, record: logging.LogRecord) -> Fields:
        """Return the exception and the stack of *record*, if it has them."""
        exception = self.formatException(record.exc_info) if record.exc_info and record.exc_info[0] else None
        traces = {"exception": exception, "stack_info": record.stack_info}
        return {name: text for name, text in traces.items() if text}


def _for_people(fields: Fields) -> str:
    """Return *fields*, which may hold anything, as text: none moves the cursor, and lists have lines of their own."""
    time, level, event = (printable(str(fields.pop(name))) for name in ("time", "level", "event"))
    logger, exception = fields.pop("logger", ""), fields.pop("exception", "")
    source = f" [{logger}]" if logger else ""
    traces = [printable(line) for line in exception.splitlines()]
    return "\n".join([f"{time} [{level}] {LogEvent(event, **fields)}{source}", *traces])
