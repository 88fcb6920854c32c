"""The facts: all that the decision about Ready depends on, and when it changes without an event.

They find out, and judge nothing. Nouns: a *wait* is for a drift to end, or a rollout to complete, and has a beginning;
a child is *stuck* once the wait for it has lasted too long; *deadlines* tell when a rollout is late, even if the
Deployment does not report it; *template records* are what the Deployment remembers; *scaling* is a change of the number
of Pods by an autoscaler. What only some specs need is found when it is asked for.
"""

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime
from functools import cached_property

import msgspec

from app.core.child_metadata import (
    EARLIER_FAILURE,
    REPAIR_ANNOTATION,
    REVISION,
    ROLLED_OUT_TEMPLATE,
    deployment_name,
)
from app.core.desired.desired_state import DesiredState, NameOccupant
from app.core.desired.replicas import is_set_by_others, observed_replicas
from app.core.diagnosis.pod_diagnosis import Diagnosis
from app.core.drift import Drift, Foreign
from app.core.override import Overriding, known_overrides
from app.core.previous_status import SKEW, PreviousStatus, ReachedState
from app.core.rollout import Rollout
from app.core.timers import after, format_time, parse_time
from metahook import (
    Children,
    Deployment,
    HorizontalPodAutoscaler,
    InstallationProblem,
    Parent,
    Resend,
    SyncRequest,
    drifted_field,
    was_resent,
)

PATIENCE = 60
"""Seconds that a child may take to carry the spec before it counts as stuck."""

SKEWED_PATIENCE = 600
"""The same where clocks differ: nobody knows how much of it is the difference."""

OBSERVED_WITHIN = PATIENCE + 1
"""Seconds that the Deployment controller may take to observe it as well; the status has its beginning in whole ones.

Then the wait for the rollout begins, with its deadline.
"""

RESEND = 30
"""Seconds after which a value that differs is sent again.

If it still differs once that write has arrived, another client is setting it.
"""

RESYNC_GRACE = 15
"""Seconds by which the sync that ends a wait can be late while Metacontroller and the hook are up."""

ROLLOUT = "a complete rollout"
"""What is waited for once the children carry the spec."""


class Wait:
    """The wait for *what*, in the words of the status; None if there is none, or if the Deployment counts the time.

    *drift* is what has to end, if it is that.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - all that shows the time
        self,
        what: str | None,
        drift: Drift | None,
        rollout: Rollout,
        parent: Parent,
        previous_status: PreviousStatus,
        now: datetime,
    ) -> None:
        self.what = what
        self._drift = drift
        self._now = now
        is_timed = what is not None or rollout.is_under_way
        is_behind = is_timed and _is_behind(parent, rollout, previous_status, now)
        self.has_skewed_clock = is_behind or previous_status.is_of_skewed_clock(now)
        """Whether the hook's clock is not that of the cluster. New objects are looked at in a wait or a rollout."""
        self.patience = SKEWED_PATIENCE if self.has_skewed_clock else PATIENCE
        """Seconds that a child may take to carry the spec before it counts as stuck."""
        since = previous_status.waiting_since(what) if what else None
        self.goes_on = since is not None
        """Whether the previous status waits for the same."""
        can_be_overlooked = drift is not None and not self.has_skewed_clock and previous_status.is_undecided
        if since is None or (can_be_overlooked and _was_overlooked(since, now)):
            since = now
        self.since = min(now, since)
        """Since when that has been waited for, as the previous status says; now if it does not."""
        is_newer = drift is not None and drift.is_from_newer_generation
        is_late = drift is not None and self.has_taken(self.patience)
        self.is_stuck = is_late and (not is_newer or self.has_taken(self.patience + PATIENCE))
        """Whether there has been this drift for too long. A child is kept first, and then has as long again."""
        self.is_keeping_newer_children = is_newer and not is_late
        """Whether the children are kept because they were made for a newer generation.

        After a minute, a late cache can't be the reason.
        """

    @property
    def resend(self) -> Resend | None:
        """The value that differs, if it does so for long enough to be sent once more."""
        drift = self._drift
        return self._resend(drift) if drift and drift.path and self.has_taken(RESEND) else None

    @property
    def has_resent_value(self) -> bool:
        """Whether the value that differs was sent again, and the observed child shows that it arrived."""
        drift = self._drift
        if drift is None or drift.path is None or drift.observed is None:
            return False
        return was_resent(drift.observed, REPAIR_ANNOTATION, self._resend(drift))

    def timers(self) -> list[datetime | None]:
        """Return when the wait has new consequences without an event: a value is sent again, or the child is stuck."""
        drift = self._drift
        if drift is None:
            return [] if self.what in {None, ROLLOUT} else [self.end(OBSERVED_WITHIN)]
        if drift.path:
            return [self.end(RESEND), self.end(self.patience)]
        if drift.removal or drift.is_undesired:
            return [self.end(self.patience)]
        # Each minute, because the deletion of the object that has the name sends no event to this parent.
        waited = (self._now - self.since).total_seconds()
        return [self.end((waited // PATIENCE + 1) * PATIENCE)]

    def end(self, seconds: float) -> datetime | None:
        """Return when it will have taken so many *seconds*."""
        return after(self.since, seconds)

    def has_taken(self, seconds: float) -> bool:
        """Tell whether it has taken so many *seconds*."""
        end = self.end(seconds)
        return end is not None and end <= self._now

    def _resend(self, drift: Drift) -> Resend:
        return Resend(str(drift), self.since, self._now)


def _is_behind(parent: Parent, rollout: Rollout, previous_status: PreviousStatus, now: datetime) -> bool:
    """Tell whether an object, or the previous status, was stored later than *now*."""
    latest = after(now, SKEW) or now
    latest_text = format_time(latest)  # most times are compared as texts, which is faster
    texts = [text for text in (parent.created, *rollout.times) if text and text > latest_text]
    times = [*map(parse_time, texts), previous_status.stored_at]
    return any(time > latest for time in times if time)


def _was_overlooked(since: datetime, now: datetime) -> bool:
    """Tell whether an undecided wait *since* then should have ended before this sync.

    Either nothing called the hook, or its clock is ahead of the one that began the wait. It then begins anew, which is
    a write to the status, and so shows the clock to the next sync.
    """
    latest = after(since, PATIENCE + RESYNC_GRACE)
    return latest is not None and latest < now


LATENESS = 600
"""Seconds that the Deployment controller gets to report a late rollout itself: more than clocks differ by."""


class Deadlines:
    """When the *rollout* is late: it made no progress, or Pods have no stability, by these times.

    Progress *is_due* once it is that of the spec. Failures of Pods, as the *diagnosis* has them, count only where
    nothing else *is_held_up*. After the last of them, failures decide, and not the clock: a Pod that has not failed
    since the deadline has met it.
    """

    def __init__(  # noqa: PLR0913 - all that they depend on
        self, rollout: Rollout, wait: Wait, diagnosis: Diagnosis, *, is_due: bool, is_held_up: bool, now: datetime
    ) -> None:
        progress = _progress_ends(rollout, wait) if is_due else None
        unstable_since = None if is_held_up else diagnosis.unstable_since
        stability = _stability_ends(rollout, unstable_since) if unstable_since else None
        last_failure = None if is_held_up else diagnosis.last_failure_at
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


def _progress_ends(rollout: Rollout, wait: Wait) -> datetime | None:
    if wait.what:
        return wait.end(rollout.deadline + (SKEWED_PATIENCE if wait.has_skewed_clock else 0))
    # The Deployment's time is of another clock. Without a common one, the Deployment controller alone tells.
    progressed_at = None if wait.has_skewed_clock else rollout.progressed_at
    return after(progressed_at, rollout.deadline + LATENESS) if progressed_at else None


def _stability_ends(rollout: Rollout, unstable_since: datetime) -> datetime | None:
    return after(unstable_since, rollout.deadline + SKEW) if rollout.is_under_way else None


_LENGTH = 16
"""Hexadecimal digits."""

_FAILURE = re.compile(f"(?P<time>[^/]{{20,35}})/(?P<template>[0-9a-f]{{{_LENGTH}}})")


class TemplateRecords:
    """What the Deployment remembers of its Pod templates, in annotations, for the *desired* state; empty ones are None.

    The status of a Deployment is about the template that its controller has observed last. Two records tell whether
    that is the one it has: the status of a MyResource, which could, can be old. Each is made from what one version of
    the Deployment shows, and is repeated from it. A new annotation is a new generation of a Deployment, as a new
    template is: the record of the template that was rolled out tells that a generation that was not observed yet is no
    news of the Pods.
    """

    def __init__(self, desired: DesiredState, rollout: Rollout, children: Children, *, is_drifted: bool) -> None:
        self._desired = desired
        self._rollout = rollout
        self._children = children
        self.is_kept = desired.replicas.is_autoscaled or desired.rollback is not None
        """Whether the Deployment is to remember its template, once that is rolled out, with the writes that follow."""
        self._record: str | None = None
        self.is_rolled_out = False
        """Whether the Deployment has the record that its template was rolled out."""
        self.earlier_failure: str | None = None
        """When the Deployment, while it was to be changed, reported a failure, and of which template.

        The Deployment controller reports it until the new template makes progress, which takes a while if a ReplicaSet
        is used again. A later failure has another time.
        """
        self.is_failure_earlier = False
        """Whether the failure that the Deployment reports is that of another template than the one that it has."""
        deployment = rollout.deployment
        if deployment is None:
            return
        self._record = deployment.metadata.annotation(ROLLED_OUT_TEMPLATE)
        self.is_rolled_out = self._record is not None and self._record == template_hash(deployment)
        if desired.rollback is not None:
            self._read_failure(deployment, rollout.late_since, is_drifted=is_drifted)

    def _read_failure(self, deployment: Deployment, late_since: str | None, *, is_drifted: bool) -> None:
        record = _FAILURE.fullmatch(deployment.metadata.annotation(EARLIER_FAILURE) or "")
        is_recorded = record is not None and record["time"] == late_since
        if late_since and is_drifted and not is_recorded:
            self.earlier_failure = f"{late_since}/{template_hash(deployment)}"
        elif record:
            self.earlier_failure = record[0]
            self.is_failure_earlier = is_recorded and record["template"] != template_hash(deployment)

    def annotations(self, *, is_written: bool) -> dict[str, str]:
        """Return the annotations of the Deployment, of which the response also *is_written* otherwise, or not.

        The hash of the template and its revision, once it was rolled out, is worth a write of its own only with an
        autoscaler, which changes the number of Pods, and is written with the image that rollbacks are for. The response
        drops it with a change of the template, because a later one can bring the same template back. Where another user
        or controller changed that, the revision differs.
        """
        values = {ROLLED_OUT_TEMPLATE: self._rolled_out(is_written=is_written), EARLIER_FAILURE: self.earlier_failure}
        return {name: value for name, value in values.items() if value}

    def _rolled_out(self, *, is_written: bool) -> str | None:
        deployment, rollout = self._rollout.deployment, self._rollout
        is_worth_it = self._desired.replicas.is_autoscaled or (is_written and self.is_kept)
        is_done = is_worth_it and rollout.is_sound and not rollout.is_not_yet_observed
        if deployment is None or not (is_done or self._record) or not _has_template(self._desired, self._children):
            return None
        return template_hash(deployment) if is_done else self._record


def template_hash(deployment: Deployment) -> str:
    """Return the hash of the Pod template of an observed *deployment* and its revision. Scaling changes neither."""
    template, revision = (deployment.spec or {}).get("template"), deployment.metadata.annotation(REVISION)
    return hashlib.sha256(msgspec.json.encode([template, revision], order="sorted")).hexdigest()[:_LENGTH]


def _has_template(desired: DesiredState, children: Children) -> bool:
    manifests = (child for child in desired.children if child["kind"] == Deployment.KIND.kind)
    only = ({**each, "spec": {"template": each["spec"]["template"]}} for each in manifests)
    return not any(drifted_field(each, children) for each in only)


_REACTION = 2
"""Seconds in which the Deployment controller observes a new number of Pods; the same process has both controllers."""


def shows_scaling(desired: DesiredState, rollout: Rollout, previous_status: PreviousStatus, children: Children) -> bool:
    """Tell whether Pods start or stop because an autoscaler changed their number, as far as the Deployment shows.

    That is no fault. It narrows the rules about the rollout, and hides nothing that they show without an autoscaler: a
    change of the template is a rollout, and a Pod that was ready and is not any more is a loss, whatever the autoscaler
    does meanwhile. The status of the Deployment is about the template that it has. Pods that do not start within the
    deadline of the rollout are missing, as any others.
    """
    spec, deployment = desired.spec, rollout.deployment
    if spec is None or spec.autoscaling is None or deployment is None:
        return False
    if not (rollout.is_sound and previous_status.is_ready):
        return False
    counted = previous_status.pod_counts
    ready = min(counted.ready, rollout.replicas) if counted else 0
    has_enough = rollout.ready >= ready and rollout.available >= spec.autoscaling.min_replicas
    return has_enough and (rollout.is_available or _can_have_grown(deployment, rollout, children))


def _can_have_grown(deployment: Deployment, rollout: Rollout, children: Children) -> bool:
    """Tell whether *deployment* may be unavailable because it was scaled up, and not because it lost Pods later.

    The previous status can be too old to have counted these.
    """
    available = rollout.availability
    unavailable_since = parse_time(available.last_transition_time) if available else None
    return may_have_scaled(deployment, children, unavailable_since and after(unavailable_since, -_REACTION))


def may_have_scaled(deployment: Deployment, children: Children, since: datetime | None) -> bool:
    """Tell whether another client may have changed the number of Pods *since* then; None means at any time.

    The API server records no time for a change by ``/scale``. An autoscaler does, unless its status is older.
    """
    if not is_set_by_others(deployment, children):
        return False
    status = next((each.status for each in children.all(HorizontalPodAutoscaler)), None)
    if status is None or status.desired_replicas != observed_replicas(deployment):
        return True
    scaled_at = parse_time(status.last_scale_time)
    return scaled_at is None or since is None or scaled_at >= since


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
        foreign: Sequence[Foreign],
        docs_url: str,
    ) -> None:
        self.parent = request.parent
        self.children = request.children
        self.desired = desired
        self.drifts = drifts
        self.drift = drifts[0] if drifts else None
        """The drift that is reported: the first one. A stale request is a drift, too."""
        of_deployment = (each for each in drifts if each.kind == "Deployment" and not each.is_undesired)
        self.deployment_drift = next(of_deployment, None)
        """How the Deployment is not as desired, if it is not, so that its status is about another spec."""
        self.diagnosis = diagnosis
        """What Pods show; an empty one if they are not watched."""
        self.has_unstable_pods = diagnosis.stable_pods is not None
        """Whether Pods become ready and fail again."""
        self.previous_status = previous_status
        reached, schedule = previous_status.reached_state, desired.schedule
        self.is_changing_state = bool(
            reached and schedule and reached != ReachedState(schedule.name, schedule.replicas)
        )
        """Whether the schedule asks for another state than the one that was reached last."""
        self.was_ready = previous_status.was_ready and not self.is_changing_state
        """Whether Ready was True in this generation before, and in this state of the schedule."""
        self.now = now
        self.foreign = foreign
        """The children with fields that only others set."""
        self.docs_url = docs_url
        """Where the pages are that messages name."""
        self.has_dependencies = desired.unmet_dependencies is not None
        self.rollout = rollout = Rollout(deployment, desired.replicas.desired)
        self.template_records = TemplateRecords(
            desired, rollout, self.children, is_drifted=self.deployment_drift is not None
        )
        """What the Deployment remembers of its Pod templates."""
        self.is_not_yet_observed = rollout.is_not_yet_observed and not self.template_records.is_rolled_out
        """Whether the Deployment's status may be about another Pod template than the one that it has."""
        is_unfinished = rollout.is_incomplete or self.has_unstable_pods
        self.is_incomplete = bool(desired.config.missing) or (is_unfinished and not rollout.is_paused_midway)
        """Whether Pods or configuration are missing, other than by a pause, or Pods are unstable."""
        self.was_just_written = self._was_just_written()
        """Whether the wait for the Deployment to be written goes on until its controller has observed it.

        That takes some milliseconds, so another reason for them would be a write of the status for nothing.
        """
        self.wait = Wait(self._awaited(), self.drift, self.rollout, self.parent, previous_status, now)
        self.overriding = Overriding(
            drifts,
            known_overrides(self.parent, self.children, previous_status.override),
            is_waited_for=self.wait.goes_on,
            was_ready=self.was_ready,
            now=now,
        )
        """Whether another user or controller keeps changing a child, as the drifts in this generation show."""
        has_drift = self.drift is not None
        is_held_up = has_drift or bool(desired.config.missing) or self.is_not_yet_observed
        is_due = not has_drift and not self.was_just_written
        self.deadlines = Deadlines(self.rollout, self.wait, diagnosis, is_due=is_due, is_held_up=is_held_up, now=now)
        self.is_scaling = desired.replicas.is_autoscaled and self._is_scaling()
        """Whether Pods start or stop because an autoscaler changed their number, and none fails or is late."""
        self.terminating, self.conflict = self._occupants() if desired.occupants else (None, None)
        """The object that is being deleted and has a child's name, and the one that keeps a child's name."""
        self.findings = (InstallationProblem.ClockSkewed,) if self.wait.has_skewed_clock else ()
        """What is wrong with the installation, besides what the request shows to be wrong."""
        self.installation = (*self.findings, *request.installation)
        """What is wrong with the installation of the operator; first what the next sync must know, then by severity."""

    @cached_property
    def is_rolling_out(self) -> bool:
        """Whether a change is being rolled out. A deleted Deployment is a loss, not a change."""
        is_updating = self.deployment_drift is not None and self.deployment_drift.observed is not None
        return is_updating or self.is_not_yet_observed or self.rollout.is_under_way

    @cached_property
    def records_until(self) -> datetime | None:
        """Until when the Deployment has time to get, and observe, what it is to remember; None if nothing shows it."""
        times = [time for time in (self.rollout.reported_at, self.rollout.changed_at) if time]
        return after(max(times), PATIENCE) if times else None

    @property
    def resend(self) -> Resend | None:
        """The value that is sent once more."""
        return None if self.overriding.is_overridden else self.wait.resend

    def _was_just_written(self) -> bool:
        if self.drift or not self.is_not_yet_observed:
            return False
        since = self.previous_status.waiting_since(self._written_deployment())
        until = after(since, OBSERVED_WITHIN) if since else None
        return since is not None and until is not None and since <= self.now < until

    def _written_deployment(self) -> str:
        """Return what is waited for until the Deployment is created, or updated with the spec."""
        return str(Drift(Deployment.KIND.kind, deployment_name(self.parent)))

    def _awaited(self) -> str | None:
        """Return what is waited for; None if nothing is, or if the Deployment counts the time."""
        if self.drift:
            return str(self.drift)
        if self.was_just_written:
            return self._written_deployment()
        if self.rollout.deployment is None or self.desired.is_kept:
            return None
        is_timed = self.rollout.progressed_at or self.rollout.is_late
        until = self.records_until if self.template_records.is_rolled_out else None
        is_soon_observed = until is not None and until > self.now
        is_unobserved = self.rollout.is_not_yet_observed and not is_soon_observed
        return ROLLOUT if is_unobserved or (not is_timed and self.is_incomplete) else None

    def _is_scaling(self) -> bool:
        if self.has_unstable_pods or self.deadlines.has_no_progress or self.is_not_yet_observed:
            return False
        return shows_scaling(self.desired, self.rollout, self.previous_status, self.children)

    def _occupants(self) -> tuple[NameOccupant | None, NameOccupant | None]:
        occupants = self.desired.occupants
        terminating = (each for each in occupants if each.is_terminating)
        # A Deployment of a MyResource that was deleted is gone in seconds.
        staying = (each for each in occupants if not each.is_terminating)
        conflicts = (each for each in staying if each.kind != "Deployment" or self.wait.is_stuck)
        return next(terminating, None), next(conflicts, None)
