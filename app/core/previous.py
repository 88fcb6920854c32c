"""The previous status, as far as the next one depends on it. Lenient: what can't be read was never there.

A status is written after the children and may be lost, so nothing but transition times and "was Ready before" is
remembered in it.
"""

import re
from datetime import datetime
from typing import TypeVar

import msgspec

from app.hooks import Parent

T = TypeVar("T")

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.]\d+)?(Z|[+-]\d\d:\d\d)")


class PreviousCondition(msgspec.Struct, frozen=True, rename="camel"):
    """A condition that an earlier sync wrote, or somebody else."""

    type: str
    status: str
    last_transition_time: str
    observed_generation: int | None = None

    @property
    def since(self) -> datetime | None:
        """When its status last changed; None if that is not a time."""
        if not _RFC3339.fullmatch(self.last_transition_time):
            return None
        try:
            return datetime.fromisoformat(self.last_transition_time)
        except ValueError:
            return None


class _Status(msgspec.Struct, frozen=True):
    state: msgspec.Raw = msgspec.Raw(b"null")
    conditions: msgspec.Raw = msgspec.Raw(b"null")


class Previous:
    """The status that *parent* had."""

    def __init__(self, parent: Parent) -> None:
        status = _read(parent.status, _Status) or _Status()
        raws = _read(status.conditions, list[msgspec.Raw]) or []
        read = [_read(raw, PreviousCondition) for raw in raws]
        self._conditions = {condition.type: condition for condition in read if condition}
        self._state = _read(status.state, str)
        self._generation = parent.generation

    def condition(self, kind: str) -> PreviousCondition | None:
        """Return the condition of type *kind*, or None."""
        return self._conditions.get(kind)

    @property
    def was_ready(self) -> bool:
        """Whether Ready was True in this generation before."""
        ready = self.condition("Ready")
        if ready is None or ready.observed_generation != self._generation:
            return False
        return ready.status == "True" or self._state == "Degraded"


def _read(raw: bytes | msgspec.Raw, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, RecursionError):
        return None
