"""The facts: all that the decision about Ready depends on, and when time alone changes it."""

from dataclasses import dataclass
from datetime import datetime

from app.api.rollout import DEFAULT_DEADLINE
from app.core.causes import Cause
from app.core.dependencies import Unmet
from app.core.gap import Gap
from app.core.moments import after, moment
from app.core.references import Reference
from app.hooks import Deployment, DeploymentStatus, Parent

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
    waits: list[Unmet] | None = None
    """The dependencies that are not met; None if there are none to wait for."""
    held: bool = False
    """Whether the first Deployment waits for them."""
    missing: Reference | None = None
    """The first thing that the application reads and that is not there."""
    cause: Cause | None = None
    """What Pods say of why the rollout does not end."""
    cause_at: datetime | None = None
    """When time alone may change that."""
    stable_pods: int | None = None
    """How many Pods are ready and stay so, as far as Pods tell; None if none is unstable."""
    unstable_since: datetime | None = None
    """When the first Pod was created that is unstable, if one is."""
    failed_pods: int = 0
    """Pods that failed as a whole of late; each of them is being replaced."""

    def moments(self) -> list[datetime | None]:
        """Return when time alone changes the decision."""
        if self.parent.deleting:
            return []
        return [self._patience_ends if self.gap else None, self._deadline_ends, self._stability_ends, self.cause_at]

    @property
    def _patience_ends(self) -> datetime | None:
        return after(self.gap_since, PATIENCE)

    @property
    def stuck(self) -> bool:
        """Whether there has been this gap for too long."""
        return self.gap is not None and self._is_past(self._patience_ends)

    @property
    def rolls(self) -> bool:
        """Whether a rollout is under way, as far as the Deployment says: a complete one keeps the condition."""
        return self.deployment_says("Progressing", "True") and not self.deployment_says("Progressing", "True", COMPLETE)

    @property
    def overdue(self) -> bool:
        """Whether the rollout has made no progress for so long that the Deployment should say so, but does not."""
        return self._is_past(self._deadline_ends)

    @property
    def unstable_for_long(self) -> bool:
        """Whether Pods of a rollout that did not end have been unstable past its deadline.

        The Deployment takes it for progress whenever such a Pod is ready for a moment.
        """
        return self._is_past(self._stability_ends)

    @property
    def _stability_ends(self) -> datetime | None:
        if self.unstable_since is None or not self.rolls:
            return None
        return after(self.unstable_since, self._deadline + LATENESS)

    @property
    def _deadline(self) -> int:
        asked = ((self.deployment and self.deployment.spec) or {}).get("progressDeadlineSeconds", DEFAULT_DEADLINE)
        return asked if isinstance(asked, int) else DEFAULT_DEADLINE

    @property
    def _deadline_ends(self) -> datetime | None:
        if self.gap or self.unseen or not self.rolls:
            return None
        progressing = self.seen.condition("Progressing")
        asked = ((self.deployment and self.deployment.spec) or {}).get("progressDeadlineSeconds", DEFAULT_DEADLINE)
        since = moment(progressing.last_update_time) if progressing else None
        return after(since, asked + LATENESS) if since and isinstance(asked, int) else None

    def _is_past(self, end: datetime | None) -> bool:
        return end is not None and end <= self.now

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
