"""The previous status, as far as the next one depends on it. Lenient: what can't be read was never there.

A status is written after the children and may be lost, so little is remembered in it: since when a condition is as it
is, since when something is waited for, and which generation was Ready last.
"""

import re
from datetime import datetime
from typing import Annotated, TypeVar

import msgspec

from app.hooks import Parent

T = TypeVar("T")

Generation = Annotated[int, msgspec.Meta(ge=0)]

_NULL = msgspec.Raw(b"null")

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.]\d+)?(Z|[+-]\d\d:\d\d)")


class PreviousCondition(msgspec.Struct, frozen=True, rename="camel"):
    """A condition that an earlier sync wrote, or somebody else."""

    type: str
    status: str
    last_transition_time: str
    observed_generation: int | None = None


class _Waiting(msgspec.Struct, frozen=True):
    what: str
    since: str


class _Status(msgspec.Struct, frozen=True, rename="camel"):
    conditions: msgspec.Raw = _NULL
    ready_generation: msgspec.Raw = _NULL
    waiting: msgspec.Raw = _NULL


class Previous:
    """The status that *parent* had."""

    def __init__(self, parent: Parent) -> None:
        status = _read(parent.status, _Status) or _Status()
        raws = _read(status.conditions, list[msgspec.Raw]) or []
        read = [_read(raw, PreviousCondition) for raw in raws]
        self._conditions = {condition.type: condition for condition in read if condition}
        self._waiting = _read(status.waiting, _Waiting)
        self._parent = parent
        self.ready_generation = _read(status.ready_generation, Generation)

    def since(self, kind: str, value: str) -> str | None:
        """Return since when the condition *kind* has been *value*; None if it was not, or that is no time."""
        before = self._conditions.get(kind)
        return (
            before.last_transition_time
            if before and before.status == value and _parsed(before.last_transition_time)
            else None
        )

    def waiting_since(self, what: str) -> datetime | None:
        """Return since when this generation has waited for *what*; None if it has not."""
        ready = self._conditions.get("Ready")
        same = ready and ready.observed_generation == self._parent.generation
        return _parsed(self._waiting.since) if same and self._waiting and self._waiting.what == what else None

    @property
    def was_ready(self) -> bool:
        """Whether Ready was True in this generation before."""
        return self.ready_generation == self._parent.generation


def _parsed(text: str) -> datetime | None:
    """Return the time that *text* is, as RFC 3339 has it, or None."""
    if not _RFC3339.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _read(raw: bytes | msgspec.Raw, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, RecursionError):
        return None
