"""Stalled is a condition of kstatus, with the reason of Ready, and present only while True."""

from app.core.facts import Facts
from app.core.readiness import Decision
from app.core.reasons import Outlook
from app.core.status.condition_type import ACT, KSTATUS, ConditionType, ParentCondition
from app.core.status.conditions import ready

TYPE = ConditionType(
    "Stalled",
    "Present, and True, while Ready is False and action is needed. It has the same reason as Ready.",
    ACT,
    f"{KSTATUS}; alerts: whether action is needed",
    outlook=Outlook.STALLED,
    is_of_rollout=True,
)


def decide(facts: Facts, decision: Decision) -> ParentCondition:
    """Return that it is so, in the words of Ready."""
    return TYPE.says("True", decision.reason.name, ready.message(decision, facts))
