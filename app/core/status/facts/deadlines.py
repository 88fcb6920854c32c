"""The deadlines of the rollout: when it is late, even if the Deployment does not report it."""

from datetime import datetime

from app.core.diagnosis.pod_diagnosis import Diagnosis
from app.core.rollout import Rollout
from app.core.status.facts.previous_status import SKEW
from app.core.status.facts.wait import SKEWED_PATIENCE, Wait
from app.core.timers import after

LATENESS = 600
"""Seconds that the Deployment controller gets to report a late rollout itself: more than clocks differ by."""


class Deadlines:
    """When the *rollout* is late: it made no progress, or Pods have no stability, by these times.

    *has_drift*: it is not yet that of the spec, so that no progress is due. Failures of Pods, as the *diagnosis* has
    them, count only where nothing else *is_held_up*. After the last of them, failures decide, and not the clock: a Pod
    that has not failed since the deadline has met it.
    """

    def __init__(  # noqa: PLR0913 - all that they depend on
        self, rollout: Rollout, wait: Wait, diagnosis: Diagnosis, *, has_drift: bool, is_held_up: bool, now: datetime
    ) -> None:
        progress = None if has_drift else _progress_ends(rollout, wait)
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
    """Return when the rollout has made no progress for too long."""
    if wait.what:
        return wait.end(rollout.deadline + (SKEWED_PATIENCE if wait.has_skewed_clock else 0))
    # The Deployment's time is of another clock. Without a common one, the Deployment controller alone tells.
    progressed_at = None if wait.has_skewed_clock else rollout.progressed_at
    return after(progressed_at, rollout.deadline + LATENESS) if progressed_at else None


def _stability_ends(rollout: Rollout, unstable_since: datetime) -> datetime | None:
    """Return when Pods of the rollout in progress have been unstable for too long."""
    return after(unstable_since, rollout.deadline + SKEW) if rollout.is_under_way else None
