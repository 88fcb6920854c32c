"""Available mirrors that of the Deployment, less its unstable Pods: old Pods may serve during a bad rollout."""

from collections.abc import Iterable
from datetime import datetime

from app.core.facts import Facts
from app.core.readiness import Decision
from app.core.rollout import min_available
from app.core.status.condition_type import ConditionType, ParentCondition

TYPE = ConditionType(
    "Available",
    "True if enough Pods are available, including Pods of an older spec: during a failing rollout the old Pods "
    "keep serving.",
    "If it is False, the application may not respond: check the reason of Ready.",
    "alerts: whether the application is served at all",
    is_of_rollout=True,
)

AVAILABLE_NOW = TYPE.says("True", "MinimumReplicasAvailable", "Enough Pods are available.")
NOT_AVAILABLE = TYPE.says("False", "MinimumReplicasUnavailable", "Not enough Pods are available.")


def decide(facts: Facts, _: Decision) -> ParentCondition:
    """Return whether enough Pods are available."""
    if facts.is_scaling:
        return AVAILABLE_NOW
    stable_pods = facts.diagnosis.stable_pods
    is_enough = stable_pods is None or stable_pods >= min_available(facts.rollout.deployment)
    return AVAILABLE_NOW if is_enough and facts.rollout.is_available else NOT_AVAILABLE


def changes_at(facts: Facts, _: Decision) -> Iterable[datetime | None]:
    """Return when Pods become stable, or unstable, without an event."""
    return (facts.diagnosis.changes_at,)
