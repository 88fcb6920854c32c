"""The facts: all that the decision about Ready depends on, and when it changes without an event."""

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property

from app.core.desired.desired_state import DesiredState, NameOccupant
from app.core.desired.replicas import ScheduleState
from app.core.diagnosis.pod_diagnosis import Diagnosis
from app.core.drift import Drift, Foreign
from app.core.rollout import Rollout
from app.core.status.facts.deadlines import Deadlines
from app.core.status.facts.override import Overriding, known_overrides
from app.core.status.facts.previous_status import PreviousStatus, ReachedState
from app.core.status.facts.scaling import is_scaling
from app.core.status.facts.template_records import TemplateRecords
from app.core.status.facts.wait import PATIENCE, ROLLOUT, Wait
from app.core.timers import after
from metahook import Deployment, InstallationProblem, Resend, SyncRequest


class Facts:
    """All that the decision depends on, in parts. Each is found once; those that depend on others come after them."""

    def __init__(  # noqa: PLR0913 - all that is known of a MyResource
        self,
        *,
        request: SyncRequest,
        deployment: Deployment | None,
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
        self.deployment_drift = _deployment_drift(drifts) if drifts else None
        """How the Deployment is not as desired, if it is not, so that its status is about another spec."""
        self.diagnosis = diagnosis
        """What Pods show; an empty one if they are not watched."""
        self.has_unstable_pods = diagnosis.stable_pods is not None
        """Whether Pods become ready and fail again."""
        self.previous_status = previous_status
        self.is_changing_state = _is_changing_state(desired.schedule, previous_status) if desired.schedule else False
        """Whether the schedule asks for another state than the one that was reached last."""
        self.was_ready = previous_status.was_ready and not self.is_changing_state
        """Whether Ready was True in this generation before, and in this state of the schedule."""
        self.now = now
        self.foreign = foreign
        """The children with fields that only others set."""
        self.rollout = Rollout(deployment, desired.replicas.desired)
        self.wait = Wait(self._awaited(), self.drift, self.rollout, self.parent, previous_status, now)
        self.overriding = self._overriding()
        """Whether another user or controller keeps changing a child, as the drifts in this generation show."""
        self.deadlines = self._deadlines()
        self.terminating, self.conflict = self._occupants() if desired.occupants else (None, None)
        """The object that is being deleted and has a child's name, and the one that keeps a child's name."""
        self.findings = (InstallationProblem.ClockSkewed,) if self.wait.has_skewed_clock else ()
        """What is wrong with the installation, besides what the request shows to be wrong."""
        self.installation = (*self.findings, *request.installation)
        """What is wrong with the installation of the operator; first what the next sync must know, then by severity."""

    @property
    def is_rolling_out(self) -> bool:
        """Whether a change is being rolled out. A deleted Deployment is a loss, not a change."""
        is_updating = self.deployment_drift is not None and self.deployment_drift.observed is not None
        return is_updating or self.is_not_yet_observed or self.rollout.is_under_way

    @property
    def is_incomplete(self) -> bool:
        """Whether Pods or configuration are missing, other than by a pause, or Pods are unstable."""
        is_unfinished = self.rollout.is_incomplete or self.has_unstable_pods
        return bool(self.desired.config.missing) or (is_unfinished and not self.rollout.is_paused_midway)

    @cached_property
    def template_records(self) -> TemplateRecords:
        """What the Deployment remembers of its Pod templates."""
        is_drifted = self.deployment_drift is not None
        return TemplateRecords(self.desired, self.rollout, self.children, is_drifted=is_drifted)

    @property
    def is_not_yet_observed(self) -> bool:
        """Whether the Deployment's status may be about another Pod template than the one that it has."""
        return self.rollout.is_not_yet_observed and not self.template_records.is_rolled_out

    @cached_property
    def records_until(self) -> datetime | None:
        """Until when the Deployment has time to get, and observe, what it is to remember; None if nothing shows it."""
        times = [time for time in (self.rollout.reported_at, self.rollout.changed_at) if time]
        return after(max(times), PATIENCE) if times else None

    @cached_property
    def is_scaling(self) -> bool:
        """Whether Pods start or stop because an autoscaler changed their number, and none fails or is late."""
        if not self.desired.replicas.is_autoscaled or self.has_unstable_pods or self.deadlines.has_no_progress:
            return False
        is_about_this_template = not self.is_not_yet_observed
        return is_about_this_template and is_scaling(self.desired, self.rollout, self.previous_status, self.children)

    @property
    def resend(self) -> Resend | None:
        """The value that is sent once more."""
        return None if self.overriding.is_overridden else self.wait.resend

    def timers(self) -> list[datetime | None]:
        """Return when the decision changes without an event."""
        if self.parent.deleting:
            return []
        is_left = self.drift is None or (self.drift.path and self.overriding.is_yielding)
        return [
            *([] if is_left else self.wait.timers()),
            *(self.overriding.timers() if self.overriding.last else []),
            *self.deadlines.timers,
            self.diagnosis.changes_at,
            self.desired.schedule.next_transition if self.desired.schedule else None,
        ]

    def without_surplus(self, pods: int) -> int:
        """Return the number of *pods*, up to the desired one: the extra Pods of a rollout are not counted."""
        is_of_another_spec = self.desired.is_kept or self.wait.is_keeping_newer_children
        return max(0, pods) if is_of_another_spec else max(0, min(pods, self.rollout.replicas))

    def _awaited(self) -> str | None:
        """Return what is waited for; None if nothing is, or if the Deployment counts the time."""
        if self.drift:
            return str(self.drift)
        if self.rollout.deployment is None or self.desired.is_kept:
            return None
        is_timed = self.rollout.progressed_at or self.rollout.is_late
        is_soon_observed = self.template_records.is_rolled_out and not self._is_past(self.records_until)
        is_unobserved = self.rollout.is_not_yet_observed and not is_soon_observed
        return ROLLOUT if is_unobserved or (not is_timed and self.is_incomplete) else None

    def _is_past(self, time: datetime | None) -> bool:
        return time is None or time <= self.now

    def _occupants(self) -> tuple[NameOccupant | None, NameOccupant | None]:
        occupants = self.desired.occupants
        terminating = (each for each in occupants if each.is_terminating)
        # A Deployment of a MyResource that was deleted is gone in seconds.
        staying = (each for each in occupants if not each.is_terminating)
        conflicts = (each for each in staying if each.kind != "Deployment" or self.wait.is_stuck)
        return next(terminating, None), next(conflicts, None)

    def _overriding(self) -> Overriding:
        return Overriding(
            self.drifts,
            known_overrides(self.parent, self.children, self.previous_status.override),
            is_waited_for=self.wait.goes_on,
            was_ready=self.was_ready,
            now=self.now,
        )

    def _deadlines(self) -> Deadlines:
        has_drift = self.drift is not None
        is_held_up = has_drift or bool(self.desired.config.missing) or self.is_not_yet_observed
        return Deadlines(
            self.rollout, self.wait, self.diagnosis, has_drift=has_drift, is_held_up=is_held_up, now=self.now
        )


def _deployment_drift(drifts: Sequence[Drift]) -> Drift | None:
    return next((drift for drift in drifts if drift.kind == "Deployment" and not drift.is_undesired), None)


def _is_changing_state(schedule: ScheduleState, previous_status: PreviousStatus) -> bool:
    return previous_status.reached_state not in {None, ReachedState(schedule.name, schedule.replicas)}
