"""Is it Ready, and why not? The decision, as a list of rules from top to bottom.

Ready is never True for a generation whose Deployment is not fully rolled out. From "settled" on, the rules are those of
``kubectl rollout status`` or stricter (surplus Pods are gone too), and a few more that tell why a rollout does not end.
"""

from collections.abc import Callable
from dataclasses import replace

from app.core.dependencies import State
from app.core.facts import Facts
from app.core.observations import ROLLOUT_LATE
from app.core.reason import Outlook, Reason
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


def _timed_out(facts: Facts) -> bool:
    """The rollout made no progress within its deadline, as the Deployment says, or the clock when nobody else does."""
    said = facts.deployment_says("Progressing", "False", ROLLOUT_LATE.reason)
    return said or facts.unstable_for_long or (facts.overdue and _unfinished(facts) and not _paused(facts))


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
    (REPLICAS_UNAVAILABLE, lambda facts: _unfinished(facts) and facts.was_ready and not facts.rolls),
    (ROLLING_OUT, _unfinished),
    (SCALED_TO_ZERO, lambda facts: facts.asked_replicas == 0),
    (REPLICAS_UNAVAILABLE, lambda facts: facts.stable_pods is not None),
    (AVAILABLE, lambda _: True),
]
"""The first rule that holds gives the reason."""


_EXPLAINED = (PROGRESS_DEADLINE_EXCEEDED, REPLICAS_UNAVAILABLE, ROLLING_OUT)
"""The reasons whose place a cause takes that Pods tell."""


def asks_pods(facts: Facts) -> bool:
    """Tell whether Pods may say more than *facts* do: also of a complete rollout, whose Pods may be unstable."""
    return _first(facts) in (*_EXPLAINED, AVAILABLE) and not facts.unseen


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
