"""The previous status, as far as the next one depends on it. Lenient: what can't be read counts as absent.

A status is written after the children and may be lost, so it stores little: since when a condition has its status,
since when something is waited for, which generation was Ready last, what was last overridden, which state the schedule
has reached, how many Pods there were, and the address.
"""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal, NamedTuple

import msgspec

from app.core.reasons import AVAILABLE, BUILDING, ROLLED_BACK, Reason
from app.core.timers import after, parse_time
from metahook import InstallationProblem, Parent, last_change, try_read_fields

SKEW = 30
"""Seconds by which clocks may differ."""

_END_OF_TIME = datetime.max.replace(tzinfo=UTC)

REPEATED = 3
"""Changes, each within the window after the one before, from which on a child counts as overridden."""

_Number = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
"""It is not negative, and within int64."""


class PreviousCondition(msgspec.Struct, frozen=True, rename="camel"):
    """A condition that an earlier sync, or another client, wrote."""

    type: str
    status: str
    last_transition_time: str
    reason: str = ""
    observed_generation: int | None = None


class _PendingChange(msgspec.Struct, frozen=True):
    what: str
    since: str


State = Literal["Awake", "Asleep"]
"""The states of a schedule."""


class ReachedState(msgspec.Struct, frozen=True, omit_defaults=True):
    """The state of a schedule, with its number of Pods if it is asleep."""

    state: State
    replicas: Annotated[int, msgspec.Meta(ge=0, le=1000)] | None = None


class PodCounts(NamedTuple):
    """How many Pods are ``ready``, and how many are ``updated``: created from this spec; None if it is not known."""

    ready: int
    updated: int | None

    def progress(self, replicas: int) -> tuple[int, int]:
        """Return how far a rollout of so many *replicas* is: how many are updated; and once all are, how many ready.

        Before that, each Pod that is replaced changes the number of ready ones twice.
        """
        updated = self.updated or 0
        return (updated, self.ready if updated >= replicas else 0)


class Override(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The last change that was reverted, as the status stores it; :mod:`app.api.status` describes the fields."""

    what: str
    count: int
    reverted_at: str
    manager: str = ""
    child_versions: tuple[str, ...] = ()

    @property
    def is_repeated(self) -> bool:
        """Whether changes came so often, one after the other, that others keep making them."""
        return self.count >= REPEATED

    def annotation(self, version: str) -> str:
        """Return the annotation of a child whose *version* is reverted."""
        return f"{self.count}/{version}/{self.reverted_at}"


class _Status(msgspec.Struct, frozen=True, rename="camel"):
    conditions: list[PreviousCondition] | None = None
    waiting: _PendingChange | None = None
    override: Override | None = None
    ready_generation: _Number | None = None
    replicas: _Number | None = None
    ready_replicas: _Number | None = None
    updated_replicas: _Number | None = None
    counted_at: str | None = None
    image: str | None = None
    schedule: ReachedState | None = None
    address: Annotated[str, msgspec.Meta(max_length=253)] | None = None


class PreviousStatus:
    """The status that *parent* had."""

    def __init__(self, parent: Parent) -> None:
        status = try_read_fields(parent.status, _Status)
        self.conditions = {condition.type: condition for condition in status.conditions or ()}
        """By type."""
        self.times = {name: parse_time(condition.last_transition_time) for name, condition in self.conditions.items()}
        """Since when each of them has its status, whatever it is, by type; None if what it says is no time."""
        self._ready = self.conditions.get("Ready")
        self.is_of_other_generation = self._ready is None or self._ready.observed_generation != parent.generation
        """Whether it is not about this generation, or not there."""
        self._waiting = status.waiting
        override = None if self.is_of_other_generation else status.override
        self.override = override if override and parse_time(override.reverted_at) else None
        """The last change of a child by another in this generation."""
        self.ready_generation = status.ready_generation
        """The last generation that was Ready."""
        self.was_ready = self.ready_generation == parent.generation
        """Whether Ready was True in this generation before."""
        ready = status.ready_replicas
        self._replicas = status.replicas
        self.pod_counts = None if ready is None else PodCounts(ready, status.updated_replicas)
        """The numbers of Pods; None if it has none."""
        self.counted_at = parse_time(status.counted_at) if status.counted_at else None
        """When these were written, if it says so."""
        self.image = status.image
        """The image of the Deployment; None if it had none."""
        self.reached_state = status.schedule
        """The state of the schedule that was reached last; None if it had none."""
        self.address = status.address
        """The address inside the cluster; None if it had none."""
        self.stored_at = parse_time(last_change(parent.managed_fields, of_status=True))
        """When the API server stored it, by its own clock, if that is known."""
        self.latest = (self.stored_at and after(self.stored_at, SKEW)) or _END_OF_TIME
        """The latest time that can be in it: one that is later than the API server stored it is of a wrong clock."""
        self._parent = parent

    def has(self, condition: str, value: str) -> bool:
        """Tell whether it says that *condition* is *value*, and since when."""
        before = self.conditions.get(condition)
        return before is not None and before.status == value and self.times[condition] is not None

    def resembles(self, status: dict[str, Any]) -> bool:
        """Tell whether it has the number of replicas and the conditions of *status*, apart from messages and times."""
        before = {name: (each.status, each.reason, each.observed_generation) for name, each in self.conditions.items()}
        now = {
            each["type"]: (each["status"], each["reason"], each["observedGeneration"]) for each in status["conditions"]
        }
        return before == now and self._replicas == status["replicas"]

    @property
    def is_ready(self) -> bool:
        """Whether it says that this generation is Ready."""
        return self.was_ready and self.has("Ready", "True")

    @property
    def was_ever_ready(self) -> bool:
        """Whether Ready was True in any generation."""
        return self.ready_generation is not None

    @property
    def was_available(self) -> bool:
        """Whether this generation was Ready because its Pods were available, and not because there were none."""
        return self._says(AVAILABLE)

    @property
    def was_rolled_back(self) -> bool:
        """Whether this generation was rolled back."""
        return self._says(ROLLED_BACK)

    def _says(self, reason: Reason) -> bool:
        return self._ready is not None and not self.is_of_other_generation and self._ready.reason == reason.name

    def is_of_skewed_clock(self, now: datetime) -> bool:
        """Tell whether its clock was ahead of the one of the API server, or whether it says that clocks differ.

        What it says holds until a change of the spec shows that they agree: it is recent *now*, or the wait for it
        begins when the API server stored that.
        """
        began = parse_time(self._waiting.since) if self._waiting else None
        times = [time for time in (began, self.counted_at, *self.times.values()) if time]
        if times and max(times) > self.latest:
            return True
        misconfigured = self.conditions.get("OperatorMisconfigured")
        if misconfigured is None or misconfigured.reason != InstallationProblem.ClockSkewed.name:
            return False
        changed = last_change(self._parent.managed_fields, of_status=False)
        if self.is_of_other_generation:
            changed_at = parse_time(changed)
            return changed_at is None or abs((now - changed_at).total_seconds()) > SKEW
        is_agreed = began and self.stored_at and (self.stored_at - began).total_seconds() <= SKEW
        return not (is_agreed and misconfigured.last_transition_time < changed)

    @property
    def is_undecided(self) -> bool:
        """Whether it says that the wait goes on, and the API server says when it was stored."""
        is_building = self._ready is not None and self._ready.reason == BUILDING.name
        return is_building and self._waiting is not None and self.stored_at is not None

    def waiting_since(self, what: str) -> datetime | None:
        """Return since when this generation has waited for *what*; None if it has not."""
        if self.is_of_other_generation or self._waiting is None or self._waiting.what != what:
            return None
        return parse_time(self._waiting.since)
