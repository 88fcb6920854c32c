"""Progressing mirrors that of the Deployment, once it is about this spec: at first it is about the last rollout."""

from collections.abc import Iterable
from datetime import datetime

from app.core.facts import Facts
from app.core.readiness import Decision
from app.core.status.condition_type import ConditionType, ParentCondition

TYPE = ConditionType(
    "Progressing",
    "True if the rollout of the Deployment is in progress or complete, False if it failed, Unknown if it is paused "
    "or has not started.",
    "If it is False, check the reason of Ready.",
    "people",
    is_of_rollout=True,
)

NOT_YET_OBSERVED = TYPE.says("Unknown", "NotYetSeen", "The Deployment has not been updated to this spec yet.")
OF_ANOTHER_SPEC = TYPE.says("Unknown", "DeploymentDiffers", "The Deployment differs from this spec.")
ROLLOUT_IN_PROGRESS = TYPE.says("True", "RollingOut", "The rollout is in progress.")
ROLLED_OUT = TYPE.says("True", "RolledOut", "The last rollout is complete.")
ROLLOUT_LATE = TYPE.says("False", "ProgressDeadlineExceeded", "The rollout exceeded progressDeadlineSeconds.")
ROLLOUT_PAUSED = TYPE.says("Unknown", "DeploymentPaused", "The Deployment is paused.")
ROLLOUT_REFUSED = TYPE.says("False", "ReplicaSetCreateError", "The ReplicaSet can't be created.")


def decide(facts: Facts, decision: Decision) -> ParentCondition:
    """Return how far the rollout of this spec is."""
    rollout = facts.rollout
    drift = facts.deployment_drift
    if drift or facts.is_not_yet_observed or not rollout.deployment:
        is_written = drift and (drift.path or drift.removal or drift.is_from_newer_generation)
        return OF_ANOTHER_SPEC if is_written else NOT_YET_OBSERVED
    if rollout.is_paused_midway or rollout.progressing == "Unknown":
        return ROLLOUT_PAUSED
    if facts.deadlines.is_stability_late or rollout.is_late:
        return ROLLOUT_LATE
    if rollout.progressing == "False":
        return ROLLOUT_REFUSED
    if decision.awaits_records_until:  # it ends when Ready becomes True, in one write of the status
        is_news = not facts.template_records.is_kept and facts.previous_status.has("Progressing", "Unknown")
        return NOT_YET_OBSERVED if is_news else ROLLOUT_IN_PROGRESS
    return _of_rollout(facts)


def changes_at(facts: Facts, _: Decision) -> Iterable[datetime | None]:
    """Return when the rollout, or the stability of its Pods, is late."""
    return facts.deadlines.timers


def _of_rollout(facts: Facts) -> ParentCondition:
    rollout = facts.rollout
    if rollout.is_complete and (facts.was_ready or rollout.has_updated_all):
        return ROLLED_OUT
    # Without a Pod of the new template, a complete rollout is the last one.
    # Reporting it as in progress would cost an extra write.
    return NOT_YET_OBSERVED if rollout.is_complete and rollout.has_updated_none else ROLLOUT_IN_PROGRESS
