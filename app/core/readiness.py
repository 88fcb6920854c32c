"""Is it Ready, and why not? The decision, as a list of rules from top to bottom.

Ready is never True for a generation whose Deployment is not fully rolled out. From "settled" on, the rules equal
``kubectl rollout status``.
"""

from collections.abc import Callable
from dataclasses import dataclass

from app.core.gap import Gap
from app.core.reasons import (
    AVAILABLE,
    BUILDING,
    INVALID_SPEC,
    NAME_CONFLICT,
    NOT_APPLIED,
    OVERRIDDEN,
    PROGRESS_DEADLINE_EXCEEDED,
    REPLICA_FAILURE,
    REPLICAS_UNAVAILABLE,
    ROLLING_OUT,
    SCALED_TO_ZERO,
    TERMINATING,
    Reason,
)
from app.hooks import Deployment, Parent
from app.hooks.objects import DeploymentStatus

PATIENCE = 60
"""Seconds that a child may take to carry the spec before it counts as stuck."""


@dataclass(frozen=True)
class Facts:
    """All that the decision depends on."""

    parent: Parent
    problem: str | None
    service_taken: bool
    gap: Gap | None
    waited: float
    """Seconds for which there has been a gap."""
    deployment: Deployment | None
    replicas: int
    """Pods that are asked for."""
    was_ready: bool
    """Whether Ready was True in this generation before."""

    @property
    def stuck(self) -> bool:
        """Whether there has been a gap for too long."""
        return self.gap is not None and self.waited >= PATIENCE

    @property
    def status(self) -> DeploymentStatus:
        """What the Deployment controller has seen."""
        return (self.deployment and self.deployment.status) or DeploymentStatus()

    def deployment_says(self, condition: str, status: str, reason: str | None = None) -> bool:
        """Tell whether the Deployment's *condition* has *status* (and *reason*)."""
        found = self.status.condition(condition)
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


def _unseen(facts: Facts) -> bool:
    """The Deployment controller has not yet looked at what was written."""
    generation = facts.deployment.metadata.generation if facts.deployment else None
    return (facts.status.observed_generation or 0) < (generation or 0)


def _timed_out(facts: Facts) -> bool:
    """The rollout made no progress within its deadline."""
    return facts.deployment_says("Progressing", "False", "ProgressDeadlineExceeded")


def _refused(facts: Facts) -> bool:
    """Pods, or the ReplicaSet that makes them, can't be created."""
    return facts.deployment_says("ReplicaFailure", "True") or facts.deployment_says("Progressing", "False")


def _unfinished(facts: Facts) -> bool:
    """Pods are missing, old, or not available. Source: kubectl's DeploymentStatusViewer."""
    updated = facts.status.updated_replicas or 0
    available = facts.status.available_replicas or 0
    return updated < facts.replicas or (facts.status.replicas or 0) > updated or available < updated


RULES: list[tuple[Reason, Callable[[Facts], bool]]] = [
    (TERMINATING, lambda facts: facts.parent.deleting),
    (INVALID_SPEC, lambda facts: facts.problem is not None),
    (NAME_CONFLICT, lambda facts: facts.service_taken),
    (OVERRIDDEN, lambda facts: facts.stuck and facts.gap is not None and facts.gap.path is not None),
    (NOT_APPLIED, lambda facts: facts.stuck),
    (BUILDING, lambda facts: facts.gap is not None),
    # Settled: what is wanted is there. Now the rollout.
    (ROLLING_OUT, _unseen),
    (PROGRESS_DEADLINE_EXCEEDED, _timed_out),
    (REPLICA_FAILURE, _refused),
    (REPLICAS_UNAVAILABLE, lambda facts: _unfinished(facts) and facts.was_ready),
    (ROLLING_OUT, _unfinished),
    (SCALED_TO_ZERO, lambda facts: facts.replicas == 0),
    (AVAILABLE, lambda _: True),
]
"""The first rule that holds gives the reason."""


def decide(facts: Facts) -> Reason:
    """Return the reason of the condition Ready."""
    return next(reason for reason, holds in RULES if holds(facts))
