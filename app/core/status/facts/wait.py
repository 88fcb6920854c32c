"""The wait for a drift to end, or for a rollout to complete: since when, and what follows once it has taken long."""

from datetime import datetime

from app.core.child_metadata import REPAIR_ANNOTATION
from app.core.drift import Drift
from app.core.rollout import Rollout
from app.core.status.facts.previous_status import SKEW, PreviousStatus
from app.core.timers import after, format_time, parse_time
from metahook import Parent, Resend, was_resent

PATIENCE = 60
"""Seconds that a child may take to carry the spec before it counts as stuck."""

SKEWED_PATIENCE = 600
"""The same where clocks differ: nobody knows how much of it is the difference."""

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
            return []
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
