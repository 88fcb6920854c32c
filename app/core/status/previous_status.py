"""The previous status, as far as the next one depends on it. Lenient: what can't be read counts as absent.

A status is written after the children and may be lost, so it stores little: since when a condition has its status,
since when something is waited for, and which generation was Ready last.
"""

from datetime import datetime

import msgspec

from app.core.status.override import Override
from app.core.timers import parse_time
from metahook import Parent, try_read, try_read_list

_GENERATIONS = 2**63
"""How many there can be: a generation has the format int64."""


class PreviousCondition(msgspec.Struct, frozen=True, rename="camel"):
    """A condition that an earlier sync, or another client, wrote."""

    type: str
    status: str
    last_transition_time: str
    observed_generation: int | None = None


class _PendingChange(msgspec.Struct, frozen=True):
    what: str
    since: str


class _Status(msgspec.Struct, frozen=True, rename="camel"):
    conditions: msgspec.Raw = msgspec.Raw(b"[]")
    waiting: msgspec.Raw = msgspec.Raw()
    override: msgspec.Raw = msgspec.Raw()
    ready_generation: msgspec.Raw = msgspec.Raw()


class PreviousStatus:
    """The status that *parent* had."""

    def __init__(self, parent: Parent) -> None:
        status = try_read(parent.status, _Status) or _Status()
        self._conditions = {
            condition.type: condition for condition in try_read_list(status.conditions, PreviousCondition)
        }
        self._waiting = try_read(status.waiting, _PendingChange) if status.waiting else None
        override = try_read(status.override, Override) if status.override else None
        is_current = override is not None and parse_time(override.reverted_at) and self._is_of(parent.generation)
        self.override = override if is_current else None
        """The last change of a child by another in this generation."""
        generation = try_read(status.ready_generation, int) if status.ready_generation else None
        self.ready_generation = generation if generation is not None and 0 <= generation < _GENERATIONS else None
        """The last generation that was Ready."""
        self.was_ever_ready = self.ready_generation is not None
        """Whether Ready was True in any generation."""
        self.was_ready = self.ready_generation == parent.generation
        """Whether Ready was True in this generation before."""
        self._generation = parent.generation

    def since(self, condition: str, value: str) -> str | None:
        """Return since when *condition* has been *value*; None if it was not, or that is no time."""
        before = self._conditions.get(condition)
        if before is None or before.status != value or not parse_time(before.last_transition_time):
            return None
        return before.last_transition_time

    def waiting_since(self, what: str) -> datetime | None:
        """Return since when this generation has waited for *what*; None if it has not."""
        is_same = self._is_of(self._generation) and self._waiting is not None and self._waiting.what == what
        return parse_time(self._waiting.since) if is_same and self._waiting else None

    def _is_of(self, generation: int) -> bool:
        ready = self._conditions.get("Ready")
        return ready is not None and ready.observed_generation == generation
