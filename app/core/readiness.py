"""Is it Ready, and why not? The decision, as a list of rules from top to bottom.

Ready is never True for a generation whose Deployment is not fully rolled out. From "settled" on, the rules are those of
``kubectl rollout status`` or stricter (surplus Pods are gone too), and a few more that tell why a rollout does not end.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from app.api.rollout import DEFAULT_DEADLINE
from app.core.causes import Cause
from app.core.dependencies import State, Waiting
from app.core.gap import Gap
from app.core.moments import after, moment
from app.core.observations import ROLLOUT_LATE
from app.core.reason import Reason
from app.core.reasons import (
    AVAILABLE,
    BUILDING,
    DEPENDENCY_NOT_FOLLOWED,
    DEPENDENCY_NOT_FOUND,
    INVALID_SPEC,
    NAME_CONFLICT,
    NOT_APPLIED,
    OVERRIDDEN,
    PAUSED,
    PROGRESS_DEADLINE_EXCEEDED,
    REPLICA_FAILURE,
    REPLICAS_UNAVAILABLE,
    ROLLING_OUT,
    SCALED_TO_ZERO,
    TERMINATING,
    WAITING_FOR_DEPENDENCIES,
)
from app.core.references import Reference
from app.hooks import Condition, Deployment, DeploymentStatus, Parent

PATIENCE = 60
"""Seconds that a child may take to carry the spec before it counts as stuck."""

LATENESS = 30
"""Seconds that the Deployment controller gets to say itself that a rollout is late."""

COMPLETE = "NewReplicaSetAvailable"
"""The reason of the Deployment's condition Progressing once a rollout is complete."""


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
    waits: list[Waiting] | None = None
    """The dependencies that are not met; None if there are none to wait for."""
    held: bool = False
    """Whether the first Deployment waits for them."""
    missing: Reference | None = None
    """The first thing that the application reads and that is not there."""
    cause: Cause | None = None
    """What Pods say of why the rollout does not end."""
    cause_at: datetime | None = None
    """When time alone may change that."""

    def moments(self) -> list[datetime | None]:
        """Return when time alone changes the decision."""
        if self.parent.deleting:
            return []
        return [self._patience_ends if self.gap else None, self.deadline_ends, self.cause_at]

    @property
    def _patience_ends(self) -> datetime | None:
        return after(self.gap_since, PATIENCE)

    @property
    def stuck(self) -> bool:
        """Whether there has been this gap for too long."""
        return self.gap is not None and _is_past(self._patience_ends, self.now)

    @property
    def deadline_ends(self) -> datetime | None:
        """When the rollout has made no progress for too long, if nobody says so before."""
        progressing = self.seen.condition("Progressing")
        if self.gap or self.unseen or progressing is None or not _goes_on(progressing):
            return None
        asked = ((self.deployment and self.deployment.spec) or {}).get("progressDeadlineSeconds", DEFAULT_DEADLINE)
        since = moment(progressing.last_update_time)
        return after(since, asked + LATENESS) if since and isinstance(asked, int) else None

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
            "waits": "; ".join(map(str, self.waits or [])),
            "missing": str(self.missing or ""),
            **(self.cause.words if self.cause else {}),
        }


def _is_past(end: datetime | None, now: datetime) -> bool:
    return end is not None and end <= now


def _goes_on(progressing: Condition) -> bool:
    """Tell whether a rollout is under way: one that is complete keeps the condition, with another reason."""
    return progressing.status == "True" and progressing.reason != COMPLETE


def _rolls(facts: Facts) -> bool:
    """A rollout is under way: also in a generation that was Ready, when configuration changed or somebody meddled."""
    progressing = facts.seen.condition("Progressing")
    return progressing is not None and _goes_on(progressing)


def _timed_out(facts: Facts) -> bool:
    """The rollout made no progress within its deadline, as the Deployment says, or the clock when nobody else does."""
    said = facts.deployment_says("Progressing", "False", ROLLOUT_LATE.reason)
    return said or (_is_past(facts.deadline_ends, facts.now) and _unfinished(facts) and not _paused(facts))


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


def _not_followed(facts: Facts) -> bool:
    """One of the dependencies is of a kind that will never be looked at."""
    return any(each.state is State.NOT_FOLLOWED for each in facts.waits or [])


RULES: list[tuple[Reason, Callable[[Facts], bool]]] = [
    (TERMINATING, lambda facts: facts.parent.deleting),
    (INVALID_SPEC, lambda facts: facts.problem is not None),
    (NAME_CONFLICT, lambda facts: facts.service_taken),
    (DEPENDENCY_NOT_FOLLOWED, lambda facts: facts.held and _not_followed(facts)),
    (WAITING_FOR_DEPENDENCIES, lambda facts: facts.held),
    (OVERRIDDEN, lambda facts: facts.stuck and facts.gap is not None and facts.gap.path is not None),
    (NOT_APPLIED, lambda facts: facts.stuck),
    (BUILDING, lambda facts: facts.gap is not None),
    # Settled: what is wanted is there. Now the rollout.
    (ROLLING_OUT, lambda facts: facts.unseen),
    (DEPENDENCY_NOT_FOUND, lambda facts: facts.missing is not None),
    (PROGRESS_DEADLINE_EXCEEDED, _timed_out),
    (REPLICA_FAILURE, _refused),
    (PAUSED, _paused),
    (REPLICAS_UNAVAILABLE, lambda facts: _unfinished(facts) and facts.was_ready and not _rolls(facts)),
    (ROLLING_OUT, _unfinished),
    (SCALED_TO_ZERO, lambda facts: facts.asked_replicas == 0),
    (AVAILABLE, lambda _: True),
]
"""The first rule that holds gives the reason."""


def asks_pods(facts: Facts) -> bool:
    """Tell whether Pods may say more than *facts* do."""
    of_pods = (PROGRESS_DEADLINE_EXCEEDED, REPLICAS_UNAVAILABLE, ROLLING_OUT)
    return _first(facts) in of_pods and not facts.unseen


def decide(facts: Facts) -> Reason:
    """Return the reason of the condition Ready: the cause that Pods tell, with the outlook of what it explains."""
    found = _first(facts)
    return replace(facts.cause.reason, outlook=found.outlook) if facts.cause else found


def _first(facts: Facts) -> Reason:
    return next(reason for reason, holds in RULES if holds(facts))
