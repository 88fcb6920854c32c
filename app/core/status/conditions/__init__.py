"""The conditions of a MyResource, a module for each: its ``TYPE``, what it can say, and what of that holds.

A new condition is a module here, its name in CONDITIONS, and a test of each of its reasons in a file of its own in
tests/core/status. ``decide`` returns what it says for the facts, and the decision about Ready; ``changes_at``, if what
it says depends on the time, when that changes without an event.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Protocol

from app.core.facts import Facts
from app.core.readiness import Decision
from app.core.status.condition_type import ConditionType, ParentCondition
from app.core.status.conditions import (
    autoscaling_active,
    available,
    dependencies_ready,
    exposed,
    foreign_fields,
    operator_misconfigured,
    progressing,
    ready,
    reconciling,
    stalled,
)


class ConditionModule(Protocol):
    """A module of a condition."""

    TYPE: ConditionType

    @property
    def decide(self) -> Callable[[Facts, Decision], ParentCondition | None]:
        """Return what the condition says; None if there is none."""


CONDITIONS: tuple[ConditionModule, ...] = (
    ready,
    available,
    progressing,
    dependencies_ready,
    autoscaling_active,
    exposed,
    reconciling,
    stalled,
    foreign_fields,
    operator_misconfigured,
)
"""In the order in which the status has them."""

TIMERS: list[Callable[[Facts, Decision], Iterable[datetime | None]]] = [
    vars(each)["changes_at"] for each in CONDITIONS if "changes_at" in vars(each)
]
"""They return when a condition changes without an event."""


def _answers(condition: ConditionModule) -> Iterator[ParentCondition]:
    for value in vars(condition).values():
        for each in value.values() if isinstance(value, dict) else (value,):
            if isinstance(each, ParentCondition):
                yield each


ANSWERS = tuple(answer for condition in CONDITIONS for answer in _answers(condition))
"""What the conditions besides Ready, Reconciling and Stalled can say."""
