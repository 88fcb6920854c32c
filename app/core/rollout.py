"""The rollout, as the status of the Deployment shows it. Without a Deployment there is no progress."""

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from app.api.rollout import DEFAULT_DEADLINE
from app.core.timers import parse_time
from metahook import Deployment, DeploymentStatus

COMPLETE = "NewReplicaSetAvailable"
"""The reason of the Deployment's condition Progressing once a rollout is complete."""

LATE = "ProgressDeadlineExceeded"
"""The reason of the same condition once a rollout has exceeded its deadline. Source: Kubernetes, ``TimedOutReason``."""


@dataclass(frozen=True)
class Rollout:
    """The rollout of the observed *deployment*; *replicas* is the desired number."""

    deployment: Deployment | None
    replicas: int

    @cached_property
    def status(self) -> DeploymentStatus:
        """What the Deployment controller reports."""
        return (self.deployment and self.deployment.status) or DeploymentStatus()

    def says(self, condition: str, status: str, reason: str | None = None) -> bool:
        """Tell whether the Deployment's *condition* has *status* (and *reason*)."""
        observed = self.status.condition(condition)
        return observed is not None and observed.status == status and reason in (None, observed.reason)

    @property
    def is_not_yet_observed(self) -> bool:
        """Whether the Deployment controller has not yet observed the last change of the spec."""
        generation = self.deployment.metadata.generation if self.deployment else None
        return (self.status.observed_generation or 0) < (generation or 0)

    @property
    def is_under_way(self) -> bool:
        """Whether the Deployment reports a rollout in progress. Progressing stays True after a complete one."""
        progressing = self.status.condition("Progressing")
        return progressing is not None and progressing.status == "True" and progressing.reason != COMPLETE

    @property
    def is_late(self) -> bool:
        """Whether the Deployment reports that its rollout exceeded the deadline."""
        return self.says("Progressing", "False", LATE)

    @property
    def is_incomplete(self) -> bool:
        """Whether Pods are missing, too many, old, or not available. Source: Kubernetes, ``DeploymentComplete``."""
        return (self.status.available_replicas or 0) != self.replicas or self._has_old_pods

    @property
    def is_paused(self) -> bool:
        """Whether the Deployment was paused before all its Pods were replaced.

        A later pause delays nothing: lost Pods are still replaced.
        """
        return self._spec.get("paused") is True and self._has_old_pods

    @property
    def has_updated_all(self) -> bool:
        """Whether there are as many Pods as the Deployment asks for, and all are of the newest template."""
        return (self.status.updated_replicas or 0) == (self.status.replicas or 0) == self._spec.get("replicas")

    @property
    def has_updated_none(self) -> bool:
        """Whether Pods are desired, and none of the newest template exists."""
        return self.replicas > 0 and not self.status.updated_replicas

    @property
    def deadline(self) -> int:
        """Seconds without progress after which the rollout is late."""
        seconds = self._spec.get("progressDeadlineSeconds", DEFAULT_DEADLINE)
        return seconds if isinstance(seconds, int) else DEFAULT_DEADLINE

    @property
    def progressed_at(self) -> datetime | None:
        """When the rollout in progress made its last progress, if the Deployment reports it."""
        progressing = self.status.condition("Progressing") if self.is_under_way else None
        return parse_time(progressing.last_update_time) if progressing else None

    @property
    def _has_old_pods(self) -> bool:
        return (self.status.replicas or 0) != self.replicas or (self.status.updated_replicas or 0) != self.replicas

    @property
    def _spec(self) -> dict[str, object]:
        return (self.deployment and self.deployment.spec) or {}


def min_available(deployment: Deployment | None) -> int:
    """Return how many of its Pods must be available. Source: Kubernetes, deployment_util.go, ``MaxUnavailable``."""
    spec = (deployment and deployment.spec) or {}
    replicas, strategy = spec.get("replicas"), spec.get("strategy")
    if not isinstance(replicas, int) or not isinstance(strategy, dict) or strategy.get("type") == "Recreate":
        return replicas if isinstance(replicas, int) else 1
    rolling = strategy.get("rollingUpdate")
    bounds = rolling if isinstance(rolling, dict) else {}
    unavailable = _share(bounds.get("maxUnavailable"), replicas)
    if unavailable == 0 and bounds.get("maxSurge") in (0, "0%"):
        unavailable = 1
    return max(0, replicas - unavailable)


def _share(value: object, replicas: int) -> int:
    """Return how many Pods *value* is, a number or a share such as 25%; shares are rounded down."""
    if isinstance(value, int):
        return value
    percentage = re.fullmatch("([0-9]{1,3})%", value) if isinstance(value, str) else None
    return replicas * int(percentage[1]) // 100 if percentage else 0
