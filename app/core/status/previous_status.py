"""The previous status, as far as the next one depends on it. Lenient: what can't be read counts as absent.

A status is written after the children and may be lost, so it stores little: since when a condition has its status,
since when something is waited for, and which generation was Ready last.
"""

from datetime import datetime
from typing import Annotated, Any, TypeVar

import msgspec

from app.core.timers import parse_time
from metahook import Parent, try_read

T = TypeVar("T")
Generation = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class PreviousCondition(msgspec.Struct, frozen=True, rename="camel"):
    """A condition that an earlier sync, or another client, wrote."""

    type: str
    status: str
    last_transition_time: str
    observed_generation: int | None = None


class _Waiting(msgspec.Struct, frozen=True):
    what: str
    since: str


class PreviousStatus:
    """The status that *parent* had."""

    def __init__(self, parent: Parent) -> None:
        self._status = try_read(parent.status, dict[str, Any]) or {}
        conditions = _try_convert(self._status.get("conditions"), list[Any]) or []
        read = [_try_convert(each, PreviousCondition) for each in conditions]
        self._conditions = {each.type: each for each in read if each}
        self._waiting = _try_convert(self._status.get("waiting"), _Waiting)
        self._generation = parent.generation
        self.ready_generation = _try_convert(self._status.get("readyGeneration"), Generation)

    def equals(self, status: dict[str, Any]) -> bool:
        """Tell whether the computed *status* changes nothing. Metacontroller adds the top ``observedGeneration``."""
        return {name: self._status[name] for name in self._status if name != "observedGeneration"} == status

    def since(self, condition: str, value: str) -> str | None:
        """Return since when *condition* has been *value*; None if it was not, or that is no time."""
        before = self._conditions.get(condition)
        return (
            before.last_transition_time
            if before and before.status == value and parse_time(before.last_transition_time)
            else None
        )

    def waiting_since(self, what: str) -> datetime | None:
        """Return since when this generation has waited for *what*; None if it has not."""
        ready = self._conditions.get("Ready")
        same = ready and ready.observed_generation == self._generation
        return parse_time(self._waiting.since) if same and self._waiting and self._waiting.what == what else None

    @property
    def was_ever_ready(self) -> bool:
        """Whether Ready was True in any generation."""
        return self.ready_generation is not None

    @property
    def was_ready(self) -> bool:
        """Whether Ready was True in this generation before."""
        return self.ready_generation == self._generation


def _try_convert(value: object, expected: type[T]) -> T | None:
    """Return *value*, decoded JSON, as the type *expected*, or None if it is something else."""
    if value is None:
        return None
    try:
        return msgspec.convert(value, expected)
    except msgspec.ValidationError:
        return None
