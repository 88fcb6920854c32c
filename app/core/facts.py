"""The facts: all that the decision about Ready depends on, and when time alone changes it."""

from dataclasses import dataclass
from datetime import datetime

from app.api.rollout import DEFAULT_DEADLINE
from app.api.spec import MyResourceSpec
from app.core.causes import Cause
from app.core.dependencies import Unmet
from app.core.gap import Gap
from app.core.holders import Holder
from app.core.listing import listing
from app.core.moments import after, moment
from app.core.observations import ROLLOUT_LATE
from app.core.references import Reference
from app.core.refusal import refusal
from app.hooks import Deployment, DeploymentStatus, Parent

PATIENCE = 60
"""Seconds that a child may take to carry the spec before it counts as stuck."""

RESEND = 30
"""Seconds after which a value that differs is sent once more. What arrives tells who sets the other one."""

LATENESS = 30
"""Seconds that the Deployment controller gets to say itself that a rollout is late."""

COMPLETE = "NewReplicaSetAvailable"
"""The reason of the Deployment's condition Progressing once a rollout is complete."""

ROLLOUT = "a complete rollout"
"""What is waited for once the children carry the spec, where the Deployment does not count the time itself."""


@dataclass(frozen=True)
class Facts:
    """All that the decision depends on."""

    parent: Parent
    spec: MyResourceSpec | None
    """None if it is invalid."""
    problem: str | None
    holders: tuple[Holder, ...]
    """The objects that stand in the way of a child."""
    gap: Gap | None
    now: datetime
    waiting_since: datetime
    """Since when this has been waited for: see ``waiting_for``."""
    deployment: Deployment | None
    asked_replicas: int
    was_ready: bool
    """Whether Ready was True in this generation before."""
    resent: bool = False
    """Whether the value that differs was sent once more, and the child shows that it arrived."""
    waits: list[Unmet] | None = None
    """The dependencies that are not met; None if there are none to wait for."""
    held: bool = False
    """Whether the first Deployment waits for them."""
    missing: tuple[Reference, ...] = ()
    """What the application reads and that is not there."""
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
        return [*self._moments_of_the_gap, self._deadline_ends, self._stability_ends, self.cause_at]

    @property
    def waiting_for(self) -> str | None:
        """What is waited for in the words of the status; None if nothing is, or if the Deployment counts the time."""
        if self.gap:
            return str(self.gap)
        if self.deployment is None or self.problem:
            return None
        is_timed = self._progressed_at or self.is_late
        return ROLLOUT if self.unseen or (self._is_incomplete and not is_timed) else None

    @property
    def _is_incomplete(self) -> bool:
        is_unstable = self.stable_pods is not None
        return bool(self.missing) or is_unstable or (self.unfinished and not self.paused)

    @property
    def _moments_of_the_gap(self) -> list[datetime | None]:
        if self.gap is None:
            return []
        waited = (self.now - self.waiting_since).total_seconds()
        if self.gap.path:
            return [after(self.waiting_since, seconds) for seconds in (RESEND, PATIENCE)]
        if self.gap.removal:
            return [after(self.waiting_since, PATIENCE)]
        # Why each minute, for as long as it takes: the end of the object that has the name wakes nobody.
        return [after(self.waiting_since, (waited // PATIENCE + 1) * PATIENCE)]

    @property
    def resends(self) -> bool:
        """Whether the value that differs is sent once more."""
        return bool(self.gap and self.gap.path) and self._is_past(after(self.waiting_since, RESEND))

    @property
    def stuck(self) -> bool:
        """Whether there has been this gap for too long."""
        return self.gap is not None and self._is_past(after(self.waiting_since, PATIENCE))

    @property
    def terminating(self) -> Holder | None:
        """The object that is being deleted and has a child's name."""
        return next((holder for holder in self.holders if holder.is_terminating), None)

    @property
    def conflict(self) -> Holder | None:
        """The object of another owner that has a child's name.

        A Deployment is one only when it stays: that of a MyResource that was just deleted goes within seconds.
        """
        conflicts = (holder for holder in self.holders if not holder.is_terminating)
        return next((holder for holder in conflicts if holder.kind == "Service" or self.stuck), None)

    @property
    def rolls(self) -> bool:
        """Whether a rollout is under way, as far as the Deployment says: a complete one keeps the condition."""
        return self.deployment_says("Progressing", "True") and not self.deployment_says("Progressing", "True", COMPLETE)

    @property
    def is_late(self) -> bool:
        """Whether the Deployment says that its rollout exceeded its deadline."""
        return self.deployment_says("Progressing", "False", ROLLOUT_LATE.reason)

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
        if self.gap:
            return None
        if self.waiting_for:
            return after(self.waiting_since, self._deadline)
        return after(self._progressed_at, self._deadline + LATENESS) if self._progressed_at else None

    @property
    def _progressed_at(self) -> datetime | None:
        """When the rollout that is under way made its last progress, if the Deployment says so."""
        progressing = self.seen.condition("Progressing") if self.rolls else None
        return moment(progressing.last_update_time) if progressing else None

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
    def unfinished(self) -> bool:
        """Whether Pods are missing, too many, old, or not available. Source: Kubernetes, ``DeploymentComplete``."""
        counts = (self.seen.replicas, self.seen.updated_replicas, self.seen.available_replicas)
        return any((count or 0) != self.asked_replicas for count in counts)

    @property
    def paused(self) -> bool:
        """Whether the Deployment was paused before all its Pods were replaced.

        Later a pause holds nothing up: Pods that are lost are replaced all the same.
        """
        spec = (self.deployment and self.deployment.spec) or {}
        counts = (self.seen.replicas, self.seen.updated_replicas)
        return spec.get("paused") is True and any((count or 0) != self.asked_replicas for count in counts)

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
        holder = self.terminating or self.conflict or Holder("", "")
        refused = self.seen.condition("ReplicaFailure")
        return {
            "name": self.parent.name,
            "namespace": self.parent.namespace,
            "uid": self.parent.uid,
            "problem": self.problem or "",
            "kind": gap.kind,
            "child": gap.name,
            "path": gap.path or "",
            "fields": gap.removal.fields if gap.removal else "",
            "command": gap.removal.command if gap.removal else "",
            "holder": f"{holder.kind} {holder.name}",
            "until": _until(holder.finalizers),
            "handover": f"{holder.kind.lower()} {holder.name}",
            "others": "set spec.service.mode to Disabled" if holder.kind == "Service" else "delete the Deployment",
            "write": "updated" if self._is_observed else "created",
            "refusers": "" if self._is_observed else "its name is taken, or a quota or ",
            "refusal": refusal(refused.message if refused else None, self.spec),
            "waits": listing(self.waits or [], "; "),
            "missing": listing(self.missing),
            **(self.cause.words if self.cause else {}),
        }

    @property
    def _is_observed(self) -> bool:
        """Whether the child that the gap is about exists."""
        return self.gap is not None and self.gap.is_observed


def _until(finalizers: tuple[str, ...]) -> str:
    """Return what a terminating object waits for, in the words of the message."""
    if not finalizers:
        return "it is gone"
    return f"its finalizers are removed: {listing(finalizers)}"
