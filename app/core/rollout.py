"""The rollout, as the status of the Deployment shows it. Without a Deployment there is no progress."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from app.api.names import CONTAINER
from app.api.rollouts import DEFAULT_DEADLINE
from app.core.timers import parse_time
from metahook import Condition, Deployment, DeploymentStatus, last_change

COMPLETE = "NewReplicaSetAvailable"
"""The reason of the Deployment's condition Progressing once a rollout is complete."""

LATE = "ProgressDeadlineExceeded"
"""The reason of the same condition once a rollout has exceeded its deadline. Source: Kubernetes, ``TimedOutReason``."""

_AT_ONCE = timedelta(seconds=1)
"""The Deployment controller sets its first conditions together, but their times can be a second apart."""


class Rollout:
    """The rollout of the observed *deployment*; *replicas* is the desired number of Pods."""

    def __init__(self, deployment: Deployment | None, replicas: int) -> None:
        status = (deployment and deployment.status) or DeploymentStatus()
        spec = (deployment and deployment.spec) or {}
        generation = deployment.metadata.generation if deployment else None
        progressing = status.condition("Progressing") or Condition(type="Progressing", status="")
        updated = status.updated_replicas or 0

        self.deployment = deployment
        self.replicas = replicas
        self.existing = status.replicas or 0
        """The number of Pods, also of those that are surplus."""
        self.updated = updated
        """The number of Pods of the newest template that the Deployment controller has observed."""
        self.available = status.available_replicas or 0
        """The number of available Pods, of any template."""
        self.ready = status.ready_replicas or 0
        """The number of ready Pods, of any template."""
        self.stopping = status.terminating_replicas
        """The number of Pods that are stopping, if it is known; no other number counts them."""
        self.progressing = progressing.status
        """The status of the Deployment's condition Progressing; empty if it has none."""
        self.availability = status.condition("Available")
        """The Deployment's condition Available, if it has one."""
        self.is_available = self.availability is not None and self.availability.status == "True"
        """Whether the Deployment reports that enough of its Pods are available."""
        self.failure = status.condition("ReplicaFailure")
        """What keeps Pods from being created, if its status is True."""
        self.is_not_yet_observed = (status.observed_generation or 0) < (generation or 0)
        """Whether the Deployment controller has not yet observed the last change of the spec."""
        self.is_complete = progressing.status == "True" and progressing.reason == COMPLETE
        """Whether the Deployment reports that its last rollout is complete."""
        self.is_under_way = progressing.status == "True" and not self.is_complete
        """Whether the Deployment reports a rollout in progress."""
        self.is_late = progressing.status == "False" and progressing.reason == LATE
        """Whether the Deployment reports that its rollout exceeded the deadline."""
        self._began = parse_time(progressing.last_transition_time)
        self._reported_at = progressing.last_update_time
        self.reported_at = parse_time(self._reported_at)
        """When the Deployment reported last that its rollout made progress, was complete or was late."""
        self.progressed_at = self.reported_at if self.is_under_way else None
        """When the rollout in progress made its last progress, if the Deployment reports it."""
        self.deadline = _deadline(spec.get("progressDeadlineSeconds"))
        """Seconds without progress after which the rollout is late."""

        has_old_pods = self.existing != replicas or updated != replicas
        self.is_incomplete = has_old_pods or self.available != replicas
        """Whether Pods are missing, too many, old, or not available. Source: Kubernetes, ``DeploymentComplete``."""
        self.is_paused_midway = has_old_pods and spec.get("paused") is True
        """Whether the Deployment was paused before all its Pods were replaced. A later pause delays nothing."""
        self.has_updated_all = updated == self.existing == spec.get("replicas")
        """Whether there are as many Pods as the Deployment asks for, and all are of the newest template."""
        self.has_updated_none = replicas > 0 and not updated
        """Whether Pods are desired, and none of the newest template exists."""

    @property
    def image(self) -> str | None:
        """The image of the Deployment's container main."""
        containers = in_observed_template(self.deployment, "spec", "containers")
        for container in containers if isinstance(containers, list) else []:
            if isinstance(container, dict) and container.get("name") == CONTAINER:
                image = container.get("image")
                return image if isinstance(image, str) else None
        return None

    @property
    def is_sound(self) -> bool:
        """Whether its last rollout is complete, and none of its Pods is old; Pods can be missing."""
        return self.is_complete and self.updated == self.existing

    @property
    def late_since(self) -> str | None:
        """When the Deployment reported that its rollout is late, in its own words; None if it does not."""
        return self._reported_at if self.is_late else None

    @property
    def changed_at(self) -> datetime | None:
        """When the Deployment was last written, other than its status, by the clock of the API server."""
        fields = self.deployment.metadata.managed_fields if self.deployment else b"[]"
        return parse_time(last_change(fields, of_status=False))

    @property
    def counted_at(self) -> datetime | None:
        """When the status of the Deployment was last written, by the clock of the API server."""
        fields = self.deployment.metadata.managed_fields if self.deployment else b"[]"
        return parse_time(last_change(fields, of_status=True))

    @property
    def was_never_available(self) -> bool:
        """Whether its condition Available is False, and did not change after Progressing: no Pods were lost later."""
        since = parse_time(self.availability.last_transition_time) if self.availability else None
        return bool(since and self._began and not self.is_available and since <= self._began + _AT_ONCE)

    @property
    def times(self) -> list[str | None]:
        """When the Deployment's conditions changed, in its own words."""
        return [time for each in self._conditions for time in _times(each)]

    @property
    def times_of_trouble(self) -> list[str | None]:
        """The same without the conditions that say that all is well."""
        well = {("Available", "True"), ("Progressing", "True")} if self.is_complete else {("Available", "True")}
        return [time for each in self._conditions if (each.type, each.status) not in well for time in _times(each)]

    @property
    def _conditions(self) -> Sequence[Condition]:
        return (self.deployment and self.deployment.status and self.deployment.status.conditions) or ()


def _times(condition: Condition) -> tuple[str | None, str | None]:
    return condition.last_transition_time, condition.last_update_time


def in_observed_template(deployment: Deployment | None, *path: str) -> Any:  # noqa: ANN401 - any JSON
    """Return what the Pod template of an observed *deployment* has at *path*; None if there is nothing."""
    node: Any = (deployment and deployment.spec) or {}
    for step in ("template", *path):
        node = node.get(step) if isinstance(node, dict) else None
    return node


def _deadline(seconds: object) -> int:
    return seconds if isinstance(seconds, int) else DEFAULT_DEADLINE


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
