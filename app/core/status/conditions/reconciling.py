"""Reconciling is a condition of kstatus, with the reason of Ready, and present only while True."""

from app.core.facts import Facts
from app.core.readiness import Decision
from app.core.reasons import Outlook
from app.core.status.condition_type import KSTATUS, WAIT, ConditionType, ParentCondition
from app.core.status.conditions import ready

TYPE = ConditionType(
    "Reconciling",
    "Present, and True, while Ready is False and no action is needed yet.",
    WAIT,
    KSTATUS,
    outlook=Outlook.RECONCILING,
    is_of_rollout=True,
)


def decide(facts: Facts, decision: Decision) -> ParentCondition:
    """Return that it is so, in the words of Ready."""
    return TYPE.says("True", decision.reason.name, ready.message(decision, facts))
