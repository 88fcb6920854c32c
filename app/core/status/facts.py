"""The facts: all that the decision about Ready depends on, and when it changes without an event."""

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property

from app.core.child_metadata import REPAIR_ANNOTATION, deployment_name
from app.core.desired.desired_state import DesiredState
from app.core.desired.holders import Holder
from app.core.diagnosis.pod_diagnosis import Diagnosis
from app.core.drift import Drift, Foreign
from app.core.rollout import Rollout
from app.core.status.override import Overriding, known_overrides
from app.core.status.previous_status import SKEW, PreviousStatus, ReachedState
from app.core.status.scaling import is_scaling
from app.core.status.template_records import TemplateRecords
from app.core.timers import after, format_time, parse_time
from metahook import Deployment, Finding, Resend, SyncRequest, was_resent

PATIENCE = 60
"""Seconds that a child may take to carry the spec before it counts as stuck."""

RESEND = 30
"""Seconds after which a value that differs is sent again.

If it still differs once that write has arrived, another client is setting it.
"""

GRACE = 15
"""Seconds by which the sync that ends a wait can be late while Metacontroller and the hook are up."""

SKEWED_PATIENCE = 600
"""The same as PATIENCE where clocks differ: nobody knows how much of it is the difference."""

LATENESS = 600
"""Seconds that the Deployment controller gets to report a late rollout itself: more than clocks differ by."""

ROLLOUT = "a complete rollout"
"""What is waited for once the children carry the spec, where the Deployment does not count the time itself."""


class Deadlines:
    """When the rollout is late: it made no *progress*, or Pods have no *stability*, by these times.

    After the *last_failure* of unstable Pods, failures decide, and not the clock: a Pod that has not failed since the
    deadline has met it.
    """

    def __init__(
        self,
        *,
        progress: datetime | None,
        stability: datetime | None,
        last_failure: datetime | None,
        now: datetime,
    ) -> None:
        judged_at = last_failure or now
        self.has_no_progress = progress is not None and progress <= judged_at
        """Whether the rollout has made no progress for so long that the Deployment should report it, but does not."""
        self.is_stability_late = stability is not None and stability <= judged_at
        """Whether Pods of a rollout that did not end have been unstable past its deadline.

        The Deployment takes it for progress whenever such a Pod is ready for a moment.
        """
        self.timers = [] if last_failure else [progress, stability]
        self.passed = progress if self.has_no_progress else stability if self.is_stability_late else None
        """The one of these times that has passed, if one has."""


class Facts:
    """All that the decision depends on. Each fact is found once; those that depend on others come after them."""

    def __init__(  # noqa: PLR0913 - all that is known of a MyResource
        self,
        *,
        request: SyncRequest,
        desired: DesiredState,
        drifts: list[Drift],
        diagnosis: Diagnosis,
        previous_status: PreviousStatus,
        now: datetime,
        foreign: Sequence[Foreign] = (),
    ) -> None:
        self.parent = request.parent
        self.children = request.children
        self.desired = desired
        self.drifts = drifts
        self.drift = drifts[0] if drifts else None
        """The drift that is reported: the first one. A stale request is a drift, too."""
        self.diagnosis = diagnosis
        """What Pods show; an empty one if they are not watched."""
        self.previous_status = previous_status
        self.now = now
        self.foreign = foreign
        """The children with fields that only others set."""

        self.deployment_drift = next(
            (drift for drift in drifts if drift.kind == "Deployment" and not drift.is_undesired), None
        )
        """How the Deployment is not as desired, if it is not, so that its status is about another spec."""
        deployment = request.children.get(Deployment, deployment_name(request.parent))
        self.rollout = Rollout(deployment, desired.replicas.desired)
        is_updating = self.deployment_drift is not None and self.deployment_drift.observed is not None
        self.is_rolling_out = is_updating or self.rollout.is_not_yet_observed or self.rollout.is_under_way
        """Whether a change is being rolled out. A deleted Deployment is a loss, not a change."""
        self.has_unstable_pods = diagnosis.stable_pods is not None
        """Whether Pods become ready and fail again."""
        is_unfinished = self.rollout.is_incomplete or self.has_unstable_pods
        self.is_incomplete = bool(desired.config.missing) or (is_unfinished and not self.rollout.is_paused_midway)
        """Whether Pods or configuration are missing, other than by a pause, or Pods are unstable."""

        self.waiting_for = self._waiting_for()
        """What is waited for in the words of the status; None if nothing is, or if the Deployment counts the time."""
        self.has_skewed_clock = self._has_skewed_clock()
        """Whether the hook's clock is not that of the cluster. It is checked only during a wait or a rollout."""
        since = previous_status.waiting_since(self.waiting_for) if self.waiting_for else None
        self.waiting_since = min(now, since) if since and not self._was_overlooked(since) else now
        """Since when that has been waited for, as the previous status says; now if it does not."""
        is_newer = self.drift is not None and self.drift.is_from_newer_generation
        is_late = self.drift is not None and self._has_waited(self.patience)
        self.is_stuck = is_late and (not is_newer or self._has_waited(self.patience + PATIENCE))
        """Whether there has been this drift for too long. A child is kept first, and then has as long again."""
        self.overriding = Overriding(
            drifts,
            known_overrides(self.parent, self.children, previous_status.override),
            is_waited_for=since is not None,
            was_ready=self.was_ready,
            now=now,
        )
        """Whether another user or controller keeps changing a child, as the drifts in this generation show."""
        self.is_keeping_newer_children = is_newer and not is_late
        """Whether the children are kept because they were made for a newer generation.

        After a minute, a late cache can't be the reason.
        """
        self.terminating = next((holder for holder in desired.holders if holder.is_terminating), None)
        """The object that is being deleted and has a child's name."""
        self.conflict = next((holder for holder in desired.holders if self._is_conflict(holder)), None)
        """The object of another owner that has a child's name."""

        self.findings = (Finding.ClockSkewed,) if self.has_skewed_clock else ()
        """What is wrong with the installation, besides what the request shows to be wrong."""
        self.installation = (*self.findings, *request.installation)
        """What is wrong with the installation of the operator; first what the next sync must know, then by severity."""

        is_held_up = bool(self.drift or desired.config.missing or self.rollout.is_not_yet_observed)
        self.deadlines = Deadlines(
            progress=self._progress_ends(),
            stability=None if is_held_up else self._stability_ends(),
            last_failure=None if is_held_up else diagnosis.last_failure_at,
            now=now,
        )
        """Those of the rollout. Failures of Pods count only where nothing else holds it up."""

    @property
    def patience(self) -> int:
        """Seconds that a child may take to carry the spec before it counts as stuck."""
        return SKEWED_PATIENCE if self.has_skewed_clock else PATIENCE

    @property
    def was_ready(self) -> bool:
        """Whether Ready was True in this generation before, and in this state of the schedule."""
        return self.previous_status.was_ready and not self.is_changing_state

    @property
    def is_changing_state(self) -> bool:
        """Whether the schedule asks for another state than the one that was reached last."""
        schedule, reached = self.desired.schedule, self.previous_status.reached_state
        return schedule is not None and reached not in {None, ReachedState(schedule.name, schedule.replicas)}

    @cached_property
    def template_records(self) -> TemplateRecords:
        """What the Deployment remembers of its Pod templates."""
        is_drifted = self.deployment_drift is not None
        return TemplateRecords(self.desired, self.rollout, self.children, is_drifted=is_drifted)

    @cached_property
    def is_scaling(self) -> bool:
        """Whether Pods start or stop because an autoscaler changed their number, and none fails or is late."""
        if not self.desired.replicas.is_autoscaled or self.has_unstable_pods or self.deadlines.has_no_progress:
            return False
        is_rolled_out = self.template_records.is_rolled_out
        return is_scaling(
            self.desired, self.rollout, self.previous_status, self.children, is_template_rolled_out=is_rolled_out
        )

    @property
    def is_recording_image(self) -> bool:
        """Whether Ready waits until the Deployment has the image as the last one that was Ready."""
        ends = self._recording_ends()
        return ends is not None and self.now < ends

    @property
    def resend(self) -> Resend | None:
        """The value that differs, if it does so for long enough to be sent once more."""
        if self.drift is None or not self.drift.path or self.overriding.is_overridden:
            return None
        return self._resend(self.drift) if self._has_waited(RESEND) else None

    @property
    def has_resent_value(self) -> bool:
        """Whether the value that differs was sent again, and the observed child shows that it arrived."""
        drift = self.drift
        if drift is None or drift.path is None or drift.observed is None:
            return False
        return was_resent(drift.observed, REPAIR_ANNOTATION, self._resend(drift))

    def timers(self) -> list[datetime | None]:
        """Return when the decision changes without an event."""
        if self.parent.deleting:
            return []
        return [
            *self._drift_timers(),
            *self.overriding.timers(),
            *self.deadlines.timers,
            self.diagnosis.changes_at,
            self._recording_ends(),
            self.desired.schedule.next_transition if self.desired.schedule else None,
        ]

    def without_surplus(self, pods: int) -> int:
        """Return the number of *pods*, up to the desired one: the extra Pods of a rollout are not counted."""
        is_of_another_spec = self.desired.is_kept or self.is_keeping_newer_children
        return max(0, pods) if is_of_another_spec else max(0, min(pods, self.rollout.replicas))

    def _drift_timers(self) -> list[datetime | None]:
        if self.drift is None or (self.drift.path and self.overriding.is_yielding):
            return []
        if self.drift.path:
            return [after(self.waiting_since, seconds) for seconds in (RESEND, self.patience)]
        if self.drift.removal or self.drift.is_undesired:
            return [after(self.waiting_since, self.patience)]
        # Each minute, because the deletion of the object that has the name sends no event to this parent.
        waited = (self.now - self.waiting_since).total_seconds()
        return [after(self.waiting_since, (waited // PATIENCE + 1) * PATIENCE)]

    def _waiting_for(self) -> str | None:
        if self.drift:
            return str(self.drift)
        if self.rollout.deployment is None or self.desired.is_kept:
            return None
        is_timed = self.rollout.progressed_at or self.rollout.is_late
        return ROLLOUT if self.rollout.is_not_yet_observed or (self.is_incomplete and not is_timed) else None

    def _recording_ends(self) -> datetime | None:
        """Return until when Ready waits for that: a policy may reject the write. None if there is nothing to write."""
        # Without a Pod, nothing has shown that the image works.
        if self.desired.unrecorded_image is None or not self.rollout.is_complete or not self.rollout.replicas:
            return None
        times = [time for time in (self.rollout.reported_at, self.rollout.changed_at) if time]
        return after(max(times), PATIENCE) if times else None

    def _has_skewed_clock(self) -> bool:
        if not self.waiting_for and not self.rollout.is_under_way:
            return False
        latest = after(self.now, SKEW) or self.now
        latest_text = format_time(latest)  # most times are compared as texts, which is faster
        texts = [text for text in (self.parent.created, *self.rollout.times) if text and text > latest_text]
        times = [*map(parse_time, texts), self.previous_status.stored_at]
        return any(time > latest for time in times if time) or self.previous_status.is_of_skewed_clock

    def _was_overlooked(self, since: datetime) -> bool:
        """Tell whether the wait *since* then should have ended before this sync, and the status does not say so.

        Either nothing called the hook, or its clock is ahead of the one that began the wait. It then begins anew, which
        is a write to the status, and so shows the clock to the next sync.
        """
        if self.has_skewed_clock or not self.drift or not self.previous_status.is_undecided:
            return False
        latest = after(since, PATIENCE + GRACE)
        return latest is not None and latest < self.now

    def _has_waited(self, seconds: int) -> bool:
        end = after(self.waiting_since, seconds)
        return end is not None and end <= self.now

    def _resend(self, drift: Drift) -> Resend:
        return Resend(str(drift), self.waiting_since, self.now)

    def _is_conflict(self, holder: Holder) -> bool:
        """Tell whether *holder* keeps the name. A Deployment of a MyResource that was deleted is gone in seconds."""
        return not holder.is_terminating and (holder.kind != "Deployment" or self.is_stuck)

    def _progress_ends(self) -> datetime | None:
        """Return when the rollout has made no progress for too long."""
        if self.drift:
            return None
        if self.waiting_for:
            skew = SKEWED_PATIENCE if self.has_skewed_clock else 0
            return after(self.waiting_since, self.rollout.deadline + skew)
        # The Deployment's time is of another clock. Without a common one, the Deployment controller alone tells.
        progressed_at = None if self.has_skewed_clock else self.rollout.progressed_at
        return after(progressed_at, self.rollout.deadline + LATENESS) if progressed_at else None

    def _stability_ends(self) -> datetime | None:
        """Return when Pods of the rollout in progress have been unstable for too long."""
        since = self.diagnosis.unstable_since
        return after(since, self.rollout.deadline + SKEW) if since and self.rollout.is_under_way else None
