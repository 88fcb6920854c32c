"""Is it Ready, and why not? The decision, as a list of rules from top to bottom.

Ready is never True for a generation whose Deployment is not fully rolled out. From "settled" on, the rules are those of
``kubectl rollout status`` or stricter (surplus Pods are gone too), and a few more that tell why a rollout does not end.
"""

from collections.abc import Callable
from dataclasses import replace

from app.core.desired.dependencies import State
from app.core.reasons import (
    AVAILABLE,
    BUILDING,
    CHILD_TERMINATING,
    CONFIG_NOT_FOUND,
    DEPENDENCY_NOT_FOLLOWED,
    INVALID_SPEC,
    LEFTOVER_FIELDS,
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
    Outlook,
    Reason,
)
from app.core.status.facts import Facts


def _timed_out(facts: Facts) -> bool:
    """The rollout made no progress within its deadline, as the Deployment says, or the clock when nobody else does."""
    is_overdue = facts.overdue and (facts.is_incomplete or facts.rollout.is_not_yet_observed)
    return facts.rollout.is_late or facts.unstable_for_long or is_overdue


def _refused(facts: Facts) -> bool:
    """Pods, or the ReplicaSet that makes them, can't be created."""
    no_replica_set = facts.rollout.says("Progressing", "False") and not facts.rollout.is_late
    return facts.rollout.says("ReplicaFailure", "True") or no_replica_set


def _lost_pods(facts: Facts) -> bool:
    """Pods that were available in this generation are not any more, and no rollout of it goes on or has failed."""
    rollout = facts.rollout
    return rollout.is_incomplete and facts.was_ready and not rollout.is_under_way and not rollout.is_late


def _not_watched(facts: Facts) -> bool:
    """One of the dependencies is of a kind that will never be looked at."""
    return any(each.state is State.NOT_WATCHED for each in facts.waits or [])


RULES: list[tuple[Reason, Callable[[Facts], bool]]] = [
    (TERMINATING, lambda facts: facts.parent.deleting),
    (INVALID_SPEC, lambda facts: facts.problem is not None),
    # Before NameConflict: an object that is on its way out is in nobody's way for long.
    (CHILD_TERMINATING, lambda facts: facts.terminating is not None),
    (NAME_CONFLICT, lambda facts: facts.conflict is not None),
    (DEPENDENCY_NOT_FOLLOWED, lambda facts: facts.held and _not_watched(facts)),
    (WAITING_FOR_DEPENDENCIES, lambda facts: facts.held),
    (LEFTOVER_FIELDS, lambda facts: facts.stuck and facts.gap is not None and facts.gap.removal is not None),
    # Only a write that arrived can be overridden. Of one that did not, nobody but who refuses it is to blame.
    (OVERRIDDEN, lambda facts: facts.stuck and facts.resent),
    (NOT_APPLIED, lambda facts: facts.stuck),
    (BUILDING, lambda facts: facts.gap is not None),
    # Settled: what is wanted is there. Now the rollout.
    # Until the Deployment controller has looked at it, its status is about the spec before.
    (PROGRESS_DEADLINE_EXCEEDED, lambda facts: facts.rollout.is_not_yet_observed and facts.overdue),
    (ROLLING_OUT, lambda facts: facts.rollout.is_not_yet_observed),
    # Missing configuration comes first: without it no Pod starts, whatever else is mended.
    (CONFIG_NOT_FOUND, lambda facts: bool(facts.missing)),
    # Before the failures: a paused Deployment keeps what it said of them, and nothing moves until it is resumed.
    (PAUSED, lambda facts: facts.rollout.is_paused),
    # Before the deadline, which says less: Pods that are refused do not exist, so there are none to describe. Unless
    # Pods that do exist tell more.
    (REPLICA_FAILURE, _refused),
    (REPLICAS_UNAVAILABLE, _lost_pods),
    (PROGRESS_DEADLINE_EXCEEDED, _timed_out),
    (ROLLING_OUT, lambda facts: facts.rollout.is_incomplete),
    (SCALED_TO_ZERO, lambda facts: facts.rollout.replicas == 0),
    (REPLICAS_UNAVAILABLE, lambda facts: facts.stable_pods is not None),
    (AVAILABLE, lambda _: True),
]
"""The first rule that holds gives the reason."""


_EXPLAINED = (PROGRESS_DEADLINE_EXCEEDED, REPLICA_FAILURE, REPLICAS_UNAVAILABLE, ROLLING_OUT)
"""The reasons whose place a cause takes that Pods tell."""


def asks_pods(facts: Facts) -> bool:
    """Tell whether Pods may say more than *facts* do: also of a complete rollout, whose Pods may be unstable."""
    return _first(facts) in (*_EXPLAINED, AVAILABLE) and not facts.rollout.is_not_yet_observed


def decide(facts: Facts) -> Reason:
    """Return the reason of the condition Ready: the cause that Pods tell, with the outlook of what it explains.

    One that goes as the rollout does is Stalled once that is late.
    """
    found = _first(facts)
    outlook = found.outlook
    if outlook is Outlook.AS_THE_ROLLOUT:
        outlook = Outlook.STALLED if _timed_out(facts) else Outlook.RECONCILING
    return replace(facts.cause.reason if facts.cause and found in _EXPLAINED else found, outlook=outlook)


def _first(facts: Facts) -> Reason:
    return next(reason for reason, holds in RULES if holds(facts))
