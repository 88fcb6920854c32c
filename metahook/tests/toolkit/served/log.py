"""The log as it is written, in memory."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager

from metahook.server import Format
from metahook.server.logs import formatter

FORMATS: list[Format] = ["json", "console"]


class Log:
    """A log in memory."""

    def __init__(self, format_: Format, *, is_terminal: bool) -> None:
        self._stream = io.StringIO()
        self.handler = logging.StreamHandler(self._stream)
        self.handler.setFormatter(formatter(format_, is_terminal=is_terminal))

    def text(self) -> str:
        """Return what is written."""
        return self._stream.getvalue()


@contextmanager
def written(format_: Format, *, is_terminal: bool = False) -> Iterator[Log]:
    """Give a log of level debug, which has what is logged until the block ends."""
    root, log = logging.getLogger(), Log(format_, is_terminal=is_terminal)
    level = root.level
    root.setLevel(logging.DEBUG)
    root.addHandler(log.handler)
    try:
        yield log
    finally:
        root.removeHandler(log.handler)
        root.setLevel(level)
