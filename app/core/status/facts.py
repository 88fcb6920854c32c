"""The facts: all that the decision about Ready depends on, and when time alone changes it."""

from dataclasses import dataclass
from datetime import datetime

from app.api.spec import MyResourceSpec
from app.core.desired.dependencies import Unmet
from app.core.desired.holders import Holder
from app.core.desired.references import Reference
from app.core.diagnosis.causes import Cause
from app.core.drift import Drift
from app.core.rollout import Rollout
from app.core.timers import after
from metahook import Parent

PATIENCE = 60
"""Seconds that a child may take to carry the spec before it counts as stuck."""

RESEND = 30
"""Seconds after which a value that differs is sent once more. What arrives tells who sets the other one."""

LATENESS = 30
"""Seconds that the Deployment controller gets to say itself that a rollout is late."""

ROLLOUT = "a complete rollout"
"""What is waited for once the children carry the spec, where the Deployment does not count the time itself."""


@dataclass(frozen=True)
class Facts:
    """All that the decision depends on."""

    parent: Parent
    spec: MyResourceSpec | None
    """None if it is invalid."""
    problem: str | None
    holders: tuple[Holder, ...]
    """The objects that stand in the way of a child."""
    gap: Drift | None
    now: datetime
    waiting_since: datetime
    """Since when this has been waited for: see ``waiting_for``."""
    rollout: Rollout
    was_ready: bool
    """Whether Ready was True in this generation before."""
    resent: bool = False
    """Whether the value that differs was sent once more, and the child shows that it arrived."""
    waits: list[Unmet] | None = None
    """The dependencies that are not met; None if there are none to wait for."""
    held: bool = False
    """Whether the first Deployment waits for them."""
    missing: tuple[Reference, ...] = ()
    """What the application reads and that is not there."""
    cause: Cause | None = None
    """What Pods say of why the rollout does not end."""
    cause_at: datetime | None = None
    """When time alone may change that."""
    stable_pods: int | None = None
    """How many Pods are ready and stay so, as far as Pods tell; None if none is unstable."""
    unstable_since: datetime | None = None
    """When the first Pod was created that is unstable, if one is."""
    failed_at: datetime | None = None
    """When one of these failed last, as far as is known."""
    failed_pods: int = 0
    """Pods that failed as a whole of late; each of them is being replaced."""

    def moments(self) -> list[datetime | None]:
        """Return when time alone changes the decision."""
        if self.parent.deleting:
            return []
        # What is unstable is judged when it fails again, which is an event; only if no time is known, by the clock.
        is_judged_by_events = self.stable_pods is not None and self.failed_at is not None
        deadlines = [] if is_judged_by_events else [self._deadline_ends, self._stability_ends]
        return [*self._moments_of_the_gap, *deadlines, self.cause_at]

    @property
    def waiting_for(self) -> str | None:
        """What is waited for in the words of the status; None if nothing is, or if the Deployment counts the time."""
        if self.gap:
            return str(self.gap)
        if self.rollout.deployment is None or self.problem:
            return None
        is_timed = self.rollout.progressed_at or self.rollout.is_late
        return ROLLOUT if self.rollout.is_not_yet_observed or (self.is_incomplete and not is_timed) else None

    @property
    def is_incomplete(self) -> bool:
        """Whether more than a pause keeps the rollout from its end, or will soon undo it."""
        is_unstable = self.stable_pods is not None
        return bool(self.missing) or is_unstable or (self.rollout.is_incomplete and not self.rollout.is_paused)

    @property
    def is_rolling_out(self) -> bool:
        """Whether a change is on its way to the Pods. A Deployment that is gone is a loss, not a change."""
        is_updating = self.gap is not None and self.gap.kind == "Deployment" and self.gap.is_observed
        return is_updating or self.rollout.is_not_yet_observed or self.rollout.is_under_way

    @property
    def _moments_of_the_gap(self) -> list[datetime | None]:
        if self.gap is None:
            return []
        waited = (self.now - self.waiting_since).total_seconds()
        if self.gap.path:
            return [after(self.waiting_since, seconds) for seconds in (RESEND, PATIENCE)]
        if self.gap.removal:
            return [after(self.waiting_since, PATIENCE)]
        # Why each minute, for as long as it takes: the end of the object that has the name wakes nobody.
        return [after(self.waiting_since, (waited // PATIENCE + 1) * PATIENCE)]

    @property
    def resends(self) -> bool:
        """Whether the value that differs is sent once more."""
        return bool(self.gap and self.gap.path) and self._is_past(after(self.waiting_since, RESEND))

    @property
    def stuck(self) -> bool:
        """Whether there has been this gap for too long."""
        return self.gap is not None and self._is_past(after(self.waiting_since, PATIENCE))

    @property
    def terminating(self) -> Holder | None:
        """The object that is being deleted and has a child's name."""
        return next((holder for holder in self.holders if holder.is_terminating), None)

    @property
    def conflict(self) -> Holder | None:
        """The object of another owner that has a child's name.

        A Deployment is one only when it stays: that of a MyResource that was just deleted goes within seconds.
        """
        conflicts = (holder for holder in self.holders if not holder.is_terminating)
        return next((holder for holder in conflicts if holder.kind == "Service" or self.stuck), None)

    @property
    def overdue(self) -> bool:
        """Whether the rollout has made no progress for so long that the Deployment should say so, but does not."""
        return self._is_past(self._deadline_ends, self._last_failure)

    @property
    def _last_failure(self) -> datetime:
        """Until when failures count: what is unstable, but did not fail again after a deadline, has met it."""
        return self.now if self.stable_pods is None else self.failed_at or self.now

    @property
    def unstable_for_long(self) -> bool:
        """Whether Pods of a rollout that did not end have been unstable past its deadline.

        The Deployment takes it for progress whenever such a Pod is ready for a moment.
        """
        return self._is_past(self._stability_ends, self._last_failure)

    @property
    def _stability_ends(self) -> datetime | None:
        if self.unstable_since is None or not self.rollout.is_under_way:
            return None
        return after(self.unstable_since, self.rollout.deadline + LATENESS)

    @property
    def _deadline_ends(self) -> datetime | None:
        if self.gap:
            return None
        if self.waiting_for:
            return after(self.waiting_since, self.rollout.deadline)
        progressed_at = self.rollout.progressed_at
        return after(progressed_at, self.rollout.deadline + LATENESS) if progressed_at else None

    def _is_past(self, end: datetime | None, now: datetime | None = None) -> bool:
        return end is not None and end <= (now or self.now)
