"""One sync, from what is observed to what is answered. Read this first.

plan       what the spec asks for, and what stands in the way
first_gap  what separates the observed children from it
outdated   whether the children show that the spec is past, so that they are kept
status     what is true now, decided from the facts alone
"""

import math
from datetime import datetime

from app.core.gap import first_gap
from app.core.identity import deployment_name
from app.core.outdated import outdated
from app.core.plan import plan
from app.core.previous import Previous
from app.core.readiness import PATIENCE, Facts
from app.core.repair import repaired
from app.core.status import status
from app.hooks import SyncAnswer, SyncRequest


def sync(request: SyncRequest, now: datetime) -> SyncAnswer:
    """Return the desired children and the status of the parent of *request*."""
    planned = plan(request)
    previous = Previous(request.parent)
    gap = first_gap(planned.wanted, request.children)
    facts = Facts(
        parent=request.parent,
        problem=planned.problem,
        service_taken=planned.service_taken,
        gap=gap,
        gap_since=(previous.waiting_since(str(gap)) if gap else None) or now,
        now=now,
        deployment=request.children.deployment(deployment_name(request.parent)),
        asked_replicas=planned.replicas,
        was_ready=previous.was_ready,
    )
    wanted, kept = planned.wanted, planned.kept
    if outdated(request.parent, request.children) and not facts.stuck:  # what stays so is no late cache
        wanted, kept = [], request.children.kept()
    return SyncAnswer(
        status=status(facts, previous),
        children=[repaired(child, request.children.observed(child), facts) for child in wanted],
        kept=kept,
        resync_after=_resync(facts),
    )


def _resync(facts: Facts) -> int | None:
    """Return after how many seconds time alone changes the answer: when a gap has been there for too long."""
    waiting = facts.gap and not facts.stuck and not facts.parent.deleting
    return math.ceil(PATIENCE - facts.waited) if waiting else None
