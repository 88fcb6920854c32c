"""The numbers of Pods in the status, for people: how many are ready, and how many were created from this spec.

A Deployment changes these numbers in several steps for each Pod that it replaces. The status has them as of when they
were last written: with another change of the status; when the rollout has progressed by a Pod, but beyond ten Pods not
within ten seconds of the last time; and otherwise a minute after it.
"""

from datetime import datetime
from typing import Any, NamedTuple

from app.core.facts import Facts
from app.core.previous_status import SKEW, PodCounts
from app.core.timers import after, format_time

MANY = 10
"""Up to this number of Pods, progress is written immediately."""

INTERVAL = 10
"""Seconds between two writes beyond that."""

LATEST = 60
"""Seconds after which numbers are written that show no progress, such as after a loss."""


class WrittenCounts(NamedTuple):
    """The numbers to write, when they last changed, and when others will be written without an event."""

    counts: PodCounts
    counted_at: datetime | None = None
    changes_at: datetime | None = None

    def fields(self) -> dict[str, Any]:
        """Return the fields of the status."""
        fields: dict[str, Any] = {"readyReplicas": self.counts.ready}
        if self.counts.updated is not None:
            fields["updatedReplicas"] = self.counts.updated
        if self.counted_at:
            fields["countedAt"] = format_time(self.counted_at)
        return fields


def written_counts(facts: Facts, rest: dict[str, Any], *, ready_by: datetime | None = None) -> WrittenCounts:
    """Return the numbers that *facts* show, or the previous ones if it is too early; *rest* is all else of the status.

    At rest there is no time: the next change is written immediately. If Ready is about to become True, in a moment or
    *ready_by* this time, they are written with it.
    """
    observed, previous = _observed(facts), facts.previous_status.pod_counts
    if previous is None:
        return WrittenCounts(observed)
    counted_at = facts.previous_status.counted_at
    if observed != previous:
        due = ready_by or _due(facts, observed, previous, rest["replicas"])
        if due and due > facts.now and facts.previous_status.resembles(rest):
            return WrittenCounts(previous, counted_at, None if facts.parent.deleting else due)
        counted_at = facts.now
    is_at_rest = rest["state"] in {"Ready", "Sleeping"} and observed == (rest["replicas"], rest["replicas"])
    return WrittenCounts(observed, None if is_at_rest else counted_at)


def _observed(facts: Facts) -> PodCounts:
    """Return the numbers of Pods, without surplus ones and ones that keep failing."""
    rollout, stable = facts.rollout, facts.diagnosis.stable_pods
    ready = rollout.ready if stable is None else min(rollout.ready, stable)
    desired, is_outdated = facts.desired, facts.wait.is_keeping_newer_children or facts.deployment_drift
    is_of_another_spec = desired.is_kept or desired.is_rolled_back or is_outdated
    is_known = rollout.deployment and not is_of_another_spec and not facts.is_not_yet_observed
    return PodCounts(facts.without_surplus(ready), facts.without_surplus(rollout.updated) if is_known else None)


def _due(facts: Facts, observed: PodCounts, previous: PodCounts, replicas: int) -> datetime | None:
    """Return when to write the *observed* numbers if nothing else changes; None if immediately."""
    counted_at = facts.previous_status.counted_at
    if counted_at is None or (counted_at - facts.now).total_seconds() > SKEW:
        return None
    # Updated Pods that are not known any more can be of another spec.
    if observed.updated is None and previous.updated is not None:
        return None
    # With a single Pod the rollout is complete once it is ready, which is written anyway.
    is_progress = replicas > 1 and observed.progress(replicas) > previous.progress(replicas)
    # Once an autoscaler's Pods are all ready, the loss of one counts.
    if is_progress and (replicas <= MANY or (facts.is_scaling and observed == (replicas, replicas))):
        return None
    return after(counted_at, 1 + (INTERVAL if is_progress else LATEST))  # the status has it in whole seconds
