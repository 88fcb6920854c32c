"""Is it Ready, and why not? The decision, as a list of rules from top to bottom.

Ready is never True for a generation whose Deployment is not fully rolled out. From "settled" on, the rules are those of
``kubectl rollout status`` or stricter (surplus Pods are gone too), and a few more that tell why a rollout does not end.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from app.core.gap import Gap
from app.core.reasons import (
    AVAILABLE,
    BUILDING,
    INVALID_SPEC,
    NAME_CONFLICT,
    NOT_APPLIED,
    OVERRIDDEN,
    PAUSED,
    PROGRESS_DEADLINE_EXCEEDED,
    REPLICA_FAILURE,
    REPLICAS_UNAVAILABLE,
    ROLLING_OUT,
    ROLLOUT_LATE,
    SCALED_TO_ZERO,
    TERMINATING,
    Reason,
)
from app.hooks import Deployment, DeploymentStatus, Parent

PATIENCE = 60
"""Seconds that a child may take to carry the spec before it counts as stuck."""


@dataclass(frozen=True)
class Facts:
    """All that the decision depends on."""

    parent: Parent
    problem: str | None
    service_taken: bool
    gap: Gap | None
    gap_since: datetime
    """Since when there has been this gap."""
    now: datetime
    deployment: Deployment | None
    asked_replicas: int
    was_ready: bool
    """Whether Ready was True in this generation before."""

    @property
    def waited(self) -> float:
        """For how many seconds there has been this gap."""
        return max(0.0, (self.now - self.gap_since).total_seconds())

    @property
    def stuck(self) -> bool:
        """Whether there has been this gap for too long."""
        return self.gap is not None and self.waited >= PATIENCE

    @property
    def seen(self) -> DeploymentStatus:
        """What the Deployment controller has seen."""
        return (self.deployment and self.deployment.status) or DeploymentStatus()

    @property
    def unseen(self) -> bool:
        """Whether the Deployment controller has yet to look at what was written."""
        generation = self.deployment.metadata.generation if self.deployment else None
        return (self.seen.observed_generation or 0) < (generation or 0)

    @property
    def updated(self) -> bool:
        """Whether there are as many Pods of the newest template as the Deployment asks for."""
        spec = (self.deployment and self.deployment.spec) or {}
        return spec.get("replicas") == (self.seen.updated_replicas or 0)

    def deployment_says(self, condition: str, status: str, reason: str | None = None) -> bool:
        """Tell whether the Deployment's *condition* has *status* (and *reason*)."""
        found = self.seen.condition(condition)
        return found is not None and found.status == status and reason in (None, found.reason)

    def words(self) -> dict[str, str]:
        """Return the words that fill a reason's message."""
        gap = self.gap or Gap("", "")
        return {
            "name": self.parent.name,
            "namespace": self.parent.namespace,
            "uid": self.parent.uid,
            "problem": self.problem or "",
            "kind": gap.kind,
            "child": gap.name,
            "path": gap.path or "",
        }


def _timed_out(facts: Facts) -> bool:
    """The rollout made no progress within its deadline."""
    return facts.deployment_says("Progressing", "False", ROLLOUT_LATE.reason)


def _refused(facts: Facts) -> bool:
    """Pods, or the ReplicaSet that makes them, can't be created."""
    return facts.deployment_says("ReplicaFailure", "True") or facts.deployment_says("Progressing", "False")


def _unfinished(facts: Facts) -> bool:
    """Pods are missing, too many, old, or not available. Source: Kubernetes, ``DeploymentComplete``."""
    counts = (facts.seen.replicas, facts.seen.updated_replicas, facts.seen.available_replicas)
    return any((count or 0) != facts.asked_replicas for count in counts)


def _paused(facts: Facts) -> bool:
    """Somebody paused the Deployment before its rollout was finished."""
    spec = (facts.deployment and facts.deployment.spec) or {}
    return spec.get("paused") is True and _unfinished(facts)


RULES: list[tuple[Reason, Callable[[Facts], bool]]] = [
    (TERMINATING, lambda facts: facts.parent.deleting),
    (INVALID_SPEC, lambda facts: facts.problem is not None),
    (NAME_CONFLICT, lambda facts: facts.service_taken),
    (OVERRIDDEN, lambda facts: facts.stuck and facts.gap is not None and facts.gap.path is not None),
    (NOT_APPLIED, lambda facts: facts.stuck),
    (BUILDING, lambda facts: facts.gap is not None),
    # Settled: what is wanted is there. Now the rollout.
    (ROLLING_OUT, lambda facts: facts.unseen),
    (PROGRESS_DEADLINE_EXCEEDED, _timed_out),
    (REPLICA_FAILURE, _refused),
    (PAUSED, _paused),
    (REPLICAS_UNAVAILABLE, lambda facts: _unfinished(facts) and facts.was_ready),
    (ROLLING_OUT, _unfinished),
    (SCALED_TO_ZERO, lambda facts: facts.asked_replicas == 0),
    (AVAILABLE, lambda _: True),
]
"""The first rule that holds gives the reason."""


def decide(facts: Facts) -> Reason:
    """Return the reason of the condition Ready."""
    return next(reason for reason, holds in RULES if holds(facts))
