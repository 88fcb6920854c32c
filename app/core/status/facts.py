"""The facts: all that the decision about Ready depends on, and when it changes without an event."""

from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from app.core.desired.desired_state import DesiredState
from app.core.desired.holders import Holder
from app.core.diagnosis.pod_diagnosis import Diagnosis
from app.core.drift import Drift
from app.core.rollout import Rollout
from app.core.status.previous_status import PreviousStatus
from app.core.timers import after
from metahook import Deployment, Finding, Parent

PATIENCE = 60
"""Seconds that a child may take to carry the spec before it counts as stuck."""

RESEND = 30
"""Seconds after which a value that differs is sent again: if that write arrives, another client sets the value."""

LATENESS = 30
"""Seconds that the Deployment controller gets to report a late rollout itself."""

ROLLOUT = "a complete rollout"
"""What is waited for once the children carry the spec, where the Deployment does not count the time itself."""


@dataclass(frozen=True)
class Facts:
    """All that the decision depends on."""

    parent: Parent
    desired: DesiredState
    drifts: list[Drift]
    """How the observed children differ from the desired ones; a stale request is a drift, too."""
    deployment: Deployment | None
    """The observed one."""
    diagnosis: Diagnosis
    """What Pods show; an empty one if they are not watched."""
    previous_status: PreviousStatus
    now: datetime
    has_resent_value: bool = field(default=False, kw_only=True)
    """Whether the value that differs was sent again, and the observed child shows that it arrived."""
    installation: tuple[Finding, ...] = field(default=(), kw_only=True)
    """What is wrong with the installation of the operator, the most severe first."""

    @property
    def drift(self) -> Drift | None:
        """The drift that is reported: the first one."""
        return self.drifts[0] if self.drifts else None

    @property
    def was_ready(self) -> bool:
        """Whether Ready was True in this generation before."""
        return self.previous_status.was_ready

    @cached_property
    def rollout(self) -> Rollout:
        """The rollout of the observed Deployment."""
        return Rollout(self.deployment, self.desired.replicas)

    # What is waited for, and since when.

    @cached_property
    def waiting_for(self) -> str | None:
        """What is waited for in the words of the status; None if nothing is, or if the Deployment counts the time."""
        if self.drift:
            return str(self.drift)
        if self.rollout.deployment is None or self.desired.problem:
            return None
        is_timed = self.rollout.progressed_at or self.rollout.is_late
        return ROLLOUT if self.rollout.is_not_yet_observed or (self.is_incomplete and not is_timed) else None

    @cached_property
    def waiting_since(self) -> datetime:
        """Since when that has been waited for, as the previous status says; now if it does not."""
        since = self.previous_status.waiting_since(self.waiting_for) if self.waiting_for else None
        return min(self.now, since or self.now)

    # The children.

    @property
    def is_stuck(self) -> bool:
        """Whether there has been this drift for too long."""
        return self.drift is not None and self._is_past(after(self.waiting_since, PATIENCE))

    @property
    def is_resending(self) -> bool:
        """Whether the value that differs is sent once more."""
        return bool(self.drift and self.drift.path) and self._is_past(after(self.waiting_since, RESEND))

    @property
    def is_keeping_newer_children(self) -> bool:
        """Whether the children are kept because they were made for a newer generation.

        Why only for a minute: a cache is not later than that.
        """
        return self.drift is not None and self.drift.is_from_newer_generation and not self.is_stuck

    @property
    def terminating(self) -> Holder | None:
        """The object that is being deleted and has a child's name."""
        return next((holder for holder in self.desired.holders if holder.is_terminating), None)

    @property
    def conflict(self) -> Holder | None:
        """The object of another owner that has a child's name.

        Why a Deployment only after a minute: that of a MyResource that was just deleted is collected within seconds.
        """
        conflicts = (holder for holder in self.desired.holders if not holder.is_terminating)
        return next((holder for holder in conflicts if holder.kind != "Deployment" or self.is_stuck), None)

    # The rollout.

    @property
    def has_deployment_drift(self) -> bool:
        """Whether the Deployment is not as desired, so that its status is about another spec."""
        return any(drift.kind == "Deployment" for drift in self.drifts)

    @property
    def is_rolling_out(self) -> bool:
        """Whether a change is being rolled out. A deleted Deployment is a loss, not a change."""
        is_updating = any(drift.kind == "Deployment" and drift.is_observed for drift in self.drifts)
        return is_updating or self.rollout.is_not_yet_observed or self.rollout.is_under_way

    @property
    def has_unstable_pods(self) -> bool:
        """Whether Pods become ready and fail again."""
        return self.diagnosis.stable_pods is not None

    @property
    def is_incomplete(self) -> bool:
        """Whether Pods or configuration are missing, other than by a pause, or Pods are unstable."""
        is_unfinished = self.rollout.is_incomplete or self.has_unstable_pods
        return bool(self.desired.config.missing) or (is_unfinished and not self.rollout.is_paused)

    @property
    def has_exceeded_deadline(self) -> bool:
        """Whether the rollout has made no progress for so long that the Deployment should report it, but does not."""
        return self._is_past(self._deadline_ends, self._judged_at)

    @property
    def has_unstable_pods_past_deadline(self) -> bool:
        """Whether Pods of a rollout that did not end have been unstable past its deadline.

        The Deployment takes it for progress whenever such a Pod is ready for a moment.
        """
        return self._is_past(self._stability_ends, self._judged_at)

    @property
    def _deadline_ends(self) -> datetime | None:
        if self.drift:
            return None
        if self.waiting_for:
            return after(self.waiting_since, self.rollout.deadline)
        progressed_at = self.rollout.progressed_at
        return after(progressed_at, self.rollout.deadline + LATENESS) if progressed_at else None

    @property
    def _stability_ends(self) -> datetime | None:
        since = self.diagnosis.unstable_since
        if since is None or self._is_held_up_otherwise or not self.rollout.is_under_way:
            return None
        return after(since, self.rollout.deadline + LATENESS)

    @property
    def _judged_at(self) -> datetime:
        """The time to compare with a deadline: the last failure of an unstable Pod, or now.

        Why the last failure: a Pod that has not failed since the deadline has met it.
        """
        return (self._is_judged_by_failures and self.diagnosis.last_failure_at) or self.now

    @property
    def _is_judged_by_failures(self) -> bool:
        """Whether failures of Pods decide about deadlines, and not the clock: each of them is an event."""
        return self.diagnosis.last_failure_at is not None and not self._is_held_up_otherwise

    @property
    def _is_held_up_otherwise(self) -> bool:
        """Whether something other than unstable Pods prevents the rollout from completing."""
        return bool(self.drift or self.desired.config.missing or self.rollout.is_not_yet_observed)

    # The timers.

    def timers(self) -> list[datetime | None]:
        """Return when the decision changes without an event.

        What has no entry here belongs in ``has_changes_without_timer``.
        """
        if self.parent.deleting:
            return []
        deadlines = [] if self._is_judged_by_failures else [self._deadline_ends, self._stability_ends]
        return [*self._timers_of_drift, *deadlines, self.diagnosis.changes_at]

    @property
    def has_changes_without_timer(self) -> bool:
        """Whether time may change the response although ``timers`` has no entry for it.

        A value is sent again every ten minutes, Pods that failed are counted for ten minutes, and a parent that is
        being deleted has no timers.
        """
        return self.is_resending or self.diagnosis.failed_pods > 0 or self.parent.deleting

    @property
    def _timers_of_drift(self) -> list[datetime | None]:
        if self.drift is None:
            return []
        if self.drift.path:
            return [after(self.waiting_since, seconds) for seconds in (RESEND, PATIENCE)]
        if self.drift.removal:
            return [after(self.waiting_since, PATIENCE)]
        # Why each minute: the deletion of the object that has the name sends no event to this parent.
        waited = (self.now - self.waiting_since).total_seconds()
        return [after(self.waiting_since, (waited // PATIENCE + 1) * PATIENCE)]

    def _is_past(self, end: datetime | None, now: datetime | None = None) -> bool:
        return end is not None and end <= (now or self.now)
