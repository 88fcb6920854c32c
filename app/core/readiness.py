"""Whether a MyResource is Ready, and why not. All of that is decided here, in three steps:

1. The first of RULES that holds gives the reason.
2. A cause that Pods show replaces a reason that is about Pods.
3. ``await_records``, once the children are known: Ready becomes True only after the Deployment has what it is to
   remember.

The conditions Ready, Reconciling and Stalled, and the word in ``status.state``, say what this Decision is.

Ready is never True for a generation whose Deployment is not fully rolled out. Once the rollout decides, the rules are
those of ``kubectl rollout status`` or stricter (surplus Pods are gone too), and a few more that tell why a rollout does
not end.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import NamedTuple

from app.core import reasons
from app.core.desired.dependencies import State
from app.core.diagnosis.causes import Cause
from app.core.drift import has_annotations
from app.core.facts import Facts
from app.core.reasons import Outlook, Reason
from metahook import Deployment, Manifest


class Decision(NamedTuple):
    """The ``reason`` of the condition Ready; its ``outlook`` is never FOLLOWS_ROLLOUT."""

    rule: Reason
    """The reason of the first rule that holds."""
    reason: Reason
    outlook: Outlook
    cause: Cause | None = None
    """The cause that Pods show, if it gives the reason."""
    awaits_records_until: datetime | None = None
    """Until when Ready waits for the Deployment to have what it is to remember; None if it does not."""

    @property
    def status(self) -> str:
        """The ``status`` of the condition Ready."""
        if self.outlook is Outlook.READY:
            return "True"
        return "Unknown" if self.outlook is Outlook.SUSPENDED else "False"


def _has_timed_out(facts: Facts) -> bool:
    """The rollout made no progress within its deadline, as the Deployment reports, or the clock if it does not."""
    can_be_late = facts.is_incomplete or facts.rollout.is_not_yet_observed
    is_late = facts.rollout.is_late or facts.deadlines.is_stability_late
    return is_late or (can_be_late and facts.deadlines.has_no_progress)


def _is_refused(facts: Facts) -> bool:
    """Pods, or the ReplicaSet that makes them, can't be created."""
    rollout = facts.rollout
    has_no_replica_set = rollout.progressing == "False" and not rollout.is_late
    return has_no_replica_set or (rollout.failure is not None and rollout.failure.status == "True")


def _has_lost_pods(facts: Facts) -> bool:
    """Pods became unavailable in this generation while no rollout of it is in progress or has failed."""
    rollout = facts.rollout
    is_lost = rollout.is_incomplete and facts.was_ready and not rollout.is_under_way and not rollout.is_late
    return is_lost and not facts.is_scaling


def _has_unwatched_dependency(facts: Facts) -> bool:
    return any(unmet.state is State.NOT_WATCHED for unmet in facts.desired.unmet_dependencies or [])


def _has_leftover_fields(facts: Facts) -> bool:
    return facts.wait.is_stuck and facts.drift is not None and facts.drift.removal is not None


RULES: list[tuple[Reason, Callable[[Facts], bool]]] = [
    (reasons.TERMINATING, lambda facts: facts.parent.deleting),
    (reasons.INVALID_SPEC, lambda facts: facts.desired.problem is not None),
    (reasons.SUSPENDED, lambda facts: facts.desired.is_suspended),
    # Before NameConflict: an object that is being deleted frees the name soon.
    (reasons.CHILD_TERMINATING, lambda facts: facts.terminating is not None),
    (reasons.NAME_CONFLICT, lambda facts: facts.conflict is not None),
    (reasons.KIND_NOT_MANAGED, lambda facts: bool(facts.desired.unmanaged)),
    (
        reasons.DEPENDENCY_NOT_FOLLOWED,
        lambda facts: facts.desired.is_waiting_for_dependencies and _has_unwatched_dependency(facts),
    ),
    (reasons.WAITING_FOR_DEPENDENCIES, lambda facts: facts.desired.is_waiting_for_dependencies),
    (reasons.LEFTOVER_FIELDS, _has_leftover_fields),
    # Only a write that arrived can be overridden. One that did not was refused, which is NotApplied.
    (
        reasons.OVERRIDDEN,
        lambda facts: facts.overriding.is_overridden or (facts.wait.is_stuck and facts.wait.has_resent_value),
    ),
    (reasons.NOT_APPLIED, lambda facts: facts.wait.is_stuck),
    (reasons.BUILDING, lambda facts: facts.drift is not None),
    # Before all that the rollout shows: it is that of another image.
    (reasons.ROLLED_BACK, lambda facts: facts.desired.is_rolled_back),
    # From here on the observed children are the desired ones, and the rollout decides.
    # Until the Deployment controller has observed the spec, its status is about the previous one.
    (reasons.PROGRESS_DEADLINE_EXCEEDED, lambda facts: facts.is_not_yet_observed and facts.deadlines.has_no_progress),
    (reasons.BUILDING, lambda facts: facts.was_just_written),
    (reasons.ROLLING_OUT, lambda facts: facts.is_not_yet_observed),
    # Missing configuration comes first: without it no Pod starts, even if everything else is corrected.
    (reasons.CONFIG_NOT_FOUND, lambda facts: bool(facts.desired.config.missing)),
    # Before the failures: a paused Deployment keeps its conditions about them, and nothing changes until it is resumed.
    (reasons.PAUSED, lambda facts: facts.rollout.is_paused_midway),
    # Before the deadline, whose message names no cause: refused Pods do not exist, so there is nothing to describe.
    # A cause that existing Pods show replaces it.
    (reasons.REPLICA_FAILURE, _is_refused),
    (reasons.REPLICAS_UNAVAILABLE, _has_lost_pods),
    (reasons.PROGRESS_DEADLINE_EXCEEDED, _has_timed_out),
    (
        reasons.ROLLING_OUT,
        lambda facts: (facts.rollout.is_incomplete or facts.rollout.is_not_yet_observed) and not facts.is_scaling,
    ),
    (reasons.REPLICAS_UNAVAILABLE, lambda facts: facts.has_unstable_pods and facts.rollout.replicas > 0),
    (reasons.SLEEPING, lambda facts: facts.desired.replicas.is_asleep),
    (reasons.SCALED_TO_ZERO, lambda facts: facts.rollout.replicas == 0),
    (reasons.AVAILABLE, lambda _: True),
]
"""The first rule that holds gives the reason."""


_EXPLAINED_BY_PODS = (
    reasons.PROGRESS_DEADLINE_EXCEEDED,
    reasons.REPLICA_FAILURE,
    reasons.REPLICAS_UNAVAILABLE,
    reasons.ROLLING_OUT,
)
"""The reasons that a cause of Pods replaces."""


def decide(facts: Facts) -> Decision:
    """Return the reason of the first rule that holds, or the cause that Pods show, with the outlook of that reason.

    One that follows the rollout is Stalled once the rollout is late.
    """
    rule = next(reason for reason, holds in RULES if holds(facts))
    outlook = rule.outlook
    if outlook is Outlook.FOLLOWS_ROLLOUT:
        outlook = Outlook.STALLED if _has_timed_out(facts) else Outlook.RECONCILING
    # Until the Deployment controller has observed the spec, Pods show causes of the previous one.
    is_explained = rule in _EXPLAINED_BY_PODS and not facts.is_not_yet_observed
    cause = facts.diagnosis.cause if is_explained else None
    return Decision(rule, cause.reason if cause else rule, outlook, cause)


def await_records(facts: Facts, decision: Decision, children: Iterable[Manifest]) -> Decision:
    """Return *decision*, or that the rollout goes on until annotations of the Deployment are written and observed.

    Such a write gives the Deployment a new generation. Ready follows that, and never goes back. It does not wait for
    ever, because a policy may reject the write; but without a common clock nothing tells how long that takes.
    """
    deployment = facts.rollout.deployment
    if deployment is None:
        return decision
    if decision.outlook is Outlook.READY and not facts.previous_status.is_ready:
        deployments = [child for child in children if child["kind"] == Deployment.KIND.kind]
        is_awaited = not all(has_annotations(child, deployment) for child in deployments)
    else:
        is_recorded = not (facts.is_not_yet_observed or facts.rollout.is_incomplete)
        is_awaited = decision.rule is reasons.ROLLING_OUT and is_recorded
    until = facts.records_until if is_awaited else None
    if until is None or (until <= facts.now and not facts.wait.has_skewed_clock):
        return decision
    return decision._replace(
        reason=reasons.ROLLING_OUT, outlook=reasons.ROLLING_OUT.outlook, awaits_records_until=until
    )
