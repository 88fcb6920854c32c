"""The log on stderr: a line of JSON for each record, or text for people at a terminal.

All logging goes through :mod:`logging`, so that a hook's author can set it up in another way. Here, structlog renders
it: the lines of metahook, those of the hook's author, and those of the libraries.
"""

import logging
import os
import re
from collections.abc import MutableMapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, TextIO

from metahook.protocol.printable import printable
from metahook.server.failure import where
from metahook.server.line import Line, is_list
from metahook.server.line_rate import LOG_RATE

if TYPE_CHECKING:
    from structlog.typing import Processor

Format = Literal["auto", "json", "console"]
Level = Literal["debug", "info", "warning", "error"]
Event = MutableMapping[str, Any]

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


def set_up_logging(options: LogOptions = DEFAULT_LOG, stream: TextIO | None = None) -> None:
    """Log to *stream* (default: stderr), unless logging is set up already."""
    root = logging.getLogger()
    if root.handlers:
        return
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter(options.format, is_terminal=handler.stream.isatty()))
    root.addHandler(handler)
    root.setLevel(options.level.upper())
    logging.getLogger("uvicorn").setLevel(logging.WARNING)


def formatter(format_: Format, *, is_terminal: bool) -> logging.Formatter:
    """Return the formatter of the log."""
    # Why here: it imports rich if that is installed, which takes 0.2 s; a server that another one runs may not need it.
    from structlog.dev import ConsoleRenderer, plain_traceback  # noqa: PLC0415
    from structlog.processors import JSONRenderer, format_exc_info  # noqa: PLC0415
    from structlog.stdlib import ProcessorFormatter  # noqa: PLC0415

    is_json = format_ == "json" or (format_ == "auto" and not is_terminal)
    console = ConsoleRenderer(
        pad_event_to=0,
        colors=is_terminal and not os.environ.get("NO_COLOR"),
        exception_formatter=plain_traceback,
        sort_keys=False,
        timestamp_key="time",
    )
    renderer = JSONRenderer() if is_json else _for_people(console)
    return ProcessorFormatter(
        foreign_pre_chain=[_unpack, format_exc_info],
        processors=[ProcessorFormatter.remove_processors_meta, renderer],
    )


def _unpack(_logger: object, _method: str, event: Event) -> Event:
    """Return the fields of a record of :mod:`logging`, in the order in which they are written."""
    record: logging.LogRecord = event["_record"]
    line: object = record.msg
    head = {"time": _time(record), "level": record.levelname.lower()}
    meta = {name: value for name, value in event.items() if name != "event"}
    if isinstance(line, Line):
        return {**meta, **head, "event": line.event, **line.fields}
    head["logger"] = record.name
    if record.name.partition(".")[0] not in _LIBRARIES:
        return {**meta, **head, "event": event["event"]}
    error = (meta.pop("exc_info", None) or (None, None))[1]
    meta.pop("stack_info", None)
    fixed = _END.split(event["event"], maxsplit=1)[0].strip()
    return {**meta, **head, "event": fixed, **({"where": where(error)} if error else {})}


def _time(record: logging.LogRecord) -> str:
    """Return when *record* was made, in RFC 3339."""
    at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    return at.replace("+00:00", "Z")


def _for_people(console: "Processor") -> "Processor":
    """Return *console* for values that may hold anything: none moves the cursor, and lists have lines of their own."""

    def render(logger: Any, method: str, event: Event) -> str:  # noqa: ANN401 - as structlog has it
        lists = [event.pop(name) for name, value in list(event.items()) if is_list(value)]
        texts = {name: printable(str(value)) for name, value in event.items() if name != "exception"}
        if "exception" in event:
            texts["exception"] = "\n".join(map(printable, event["exception"].splitlines()))
        text = console(logger, method, texts)
        return "\n  ".join([str(text), *(printable(item) for value in lists for item in value)])

    return render
