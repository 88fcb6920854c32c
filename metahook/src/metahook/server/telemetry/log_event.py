"""A message of the log: an event, which is a constant text, and its fields."""

import json
import re
from collections.abc import Iterator

from metahook.protocol.objects import printable

Value = str | int | float | list[str] | dict[str, str]


_WORD = re.compile(r"[^\s=\"]+")


class LogEvent:
    """The message of a log record. As a text it has its fields, too.

    A value that is a list has a line of its own for each item.
    """

    __slots__ = ("event", "fields")

    def __init__(self, event: str, /, **fields: Value) -> None:
        self.event = event
        self.fields = fields

    def __str__(self) -> str:
        """Return such as ``hook called hook=/sync name=web``."""
        return "".join(self._words())

    def _words(self) -> Iterator[str]:
        yield self.event
        yield from (f" {name}={_shown(value)}" for name, value in self.fields.items() if not isinstance(value, list))
        lists = [value for value in self.fields.values() if isinstance(value, list)]
        yield from (f"\n  {printable(item)}" for value in lists for item in value)


def _shown(value: object) -> str:
    """Return *value* as a field shows it to people: in quotation marks if it could be taken for more than one field."""
    text = printable(str(value))
    return text if _WORD.fullmatch(text) else json.dumps(text, ensure_ascii=False)
