"""One sync, from what is observed to what is answered. Read this first.

previous   what the last status said, as far as it matters
plan       what the spec asks for, and what stands in the way
outdated   whether the children show that the spec is past, so that they are kept
first_drift  what separates the observed children from the plan
diagnosis  what Pods say of a rollout that does not end, or of Pods that are ready only now and then: only if the rules
           of readiness, run on all the other facts, end where Pods can say more
status     what is true now: the rules again, on all facts
repaired   the children, with what makes Metacontroller mend what it would leave
resync     when time alone changes the answer
"""

from dataclasses import replace
from datetime import datetime

from app.core.child_metadata import deployment_name
from app.core.desired.desired_state import Plan, plan
from app.core.diagnosis.diagnosis import diagnosis
from app.core.drift import Drift, first_drift, outdated
from app.core.previous_status import Previous
from app.core.repair import has_arrived, repaired
from app.core.rollout import Rollout
from app.core.status.facts import Facts
from app.core.status.readiness import asks_pods
from app.core.status.status import status
from app.core.timers import resync
from app.core.watch import Watch
from metahook import Deployment, SyncRequest, SyncResponse


def sync(request: SyncRequest, now: datetime, watch: Watch) -> SyncResponse:
    """Return the desired children and the status of the parent of *request*."""
    previous = Previous(request.parent)
    planned = plan(request, previous, watch)
    facts = _waited(_facts(request, planned, previous, now), previous)
    # Twice: Pods that are unstable are waited for as well, also in the moments in which all of them are available.
    facts = _waited(_explained(request, planned, _resent(facts, planned, request)), previous)
    wanted, kept = planned.wanted, planned.kept
    if facts.gap and facts.gap.is_from_newer_generation and not facts.stuck:  # what stays so is no late cache
        wanted, kept = [], request.children.kept()
    return SyncResponse(
        status=status(facts, previous),
        children=[repaired(child, request.children.observed(child), facts) for child in wanted],
        kept=kept,
        resync_after=resync(facts.moments(), now),
    )


def _facts(request: SyncRequest, planned: Plan, previous: Previous, now: datetime) -> Facts:
    gap = (
        outdated(request.parent, request.children)
        or first_drift(planned.wanted, request.children)
        or next((Drift(holder.kind, holder.name) for holder in planned.holders if holder.kind == "Deployment"), None)
    )
    return Facts(
        parent=request.parent,
        spec=planned.spec,
        problem=planned.problem,
        holders=planned.holders,
        waits=planned.waits,
        held=planned.held,
        missing=planned.config.missing,
        gap=gap,
        now=now,
        waiting_since=now,
        rollout=Rollout(request.children.get(Deployment, deployment_name(request.parent)), planned.replicas),
        was_ready=previous.was_ready,
    )


def _waited(facts: Facts, previous: Previous) -> Facts:
    """Return *facts* with the time since when what is waited for has been waited for, as the last status says."""
    since = previous.waiting_since(facts.waiting_for) if facts.waiting_for else None
    return replace(facts, waiting_since=min(facts.now, since or facts.now))


def _resent(facts: Facts, planned: Plan, request: SyncRequest) -> Facts:
    return replace(facts, resent=has_arrived(planned.wanted, request.children, facts))


def _explained(request: SyncRequest, planned: Plan, facts: Facts) -> Facts:
    """Return *facts* with what Pods say, if it matters: else nobody reads them."""
    if planned.spec is None or facts.rollout.deployment is None or not asks_pods(facts):
        return facts
    found = diagnosis(request.related, facts.rollout.deployment, planned.spec, facts.now)
    return replace(
        facts,
        cause=found.cause,
        cause_at=found.changes_at,
        stable_pods=found.stable,
        unstable_since=found.unstable_since,
        failed_at=found.failed_at,
        failed_pods=found.failed,
    )
