"""The sync hook. Read this first: its steps are the way of a request through the core.

1. previous_status    what the last status remembers for the next desired state and the next status: since when
                      something is waited for, which generation was Ready, what was reverted
2. desired_state      the children that the spec asks for, or why the observed ones are kept
3. drifts             how the observed children differ from the desired ones, or show that the request is stale; and
                      which fields only others set
4. diagnosis          why Pods are not available, or will not stay available
5. facts              all of these, with the time since when the drift, or the rollout, has been waited for, and whether
                      another user or controller keeps changing a child: a change keeps coming back, or a value still
                      differs although the hook's second write, after 30 seconds, has arrived
6. decide             whether the parent is Ready, and why not: the first rule that holds for the facts, or the cause
                      that Pods show
7. response_children  the desired children, with what they remember of rollouts and reverted changes, with the
                      annotation that makes Metacontroller send one again, or with the observed values where another
                      user or controller keeps changing them; a stale request changes none
8. await_records      the same decision; but Ready becomes True only once the Deployment has what it is to remember
9. parent_status      the status: the conditions, and the numbers of Pods, which are written less often than they change
10. resync            when time alone changes the response
"""

from datetime import datetime

from app.core.child_metadata import deployment_name
from app.core.desired.desired_state import DesiredState, desired_state
from app.core.desired.memo import GenerationMemo
from app.core.diagnosis.pod_diagnosis import NOTHING_KNOWN, Diagnosis, diagnose_pods
from app.core.drift import (
    Drift,
    Foreign,
    find_drifts,
    find_foreign,
    newer_generation_drift,
    undesired_children,
)
from app.core.facts import Facts
from app.core.previous_status import PreviousStatus
from app.core.readiness import await_records, decide
from app.core.response_children import response_children
from app.core.status.parent_status import parent_status
from app.core.timers import resync
from app.core.watch import Watch
from metahook import (
    Absence,
    Deployment,
    Pod,
    SyncRequest,
    SyncResponse,
)


def sync(request: SyncRequest, now: datetime, watch: Watch, memo: GenerationMemo | None = None) -> SyncResponse:
    """Return the desired children and the status of the parent of *request*."""
    previous_status = PreviousStatus(request.parent)
    deployment = request.children.get(Deployment, deployment_name(request.parent))
    desired = desired_state(request, deployment, now, watch, memo, previous=previous_status)
    drifts = _drifts(request, desired)
    facts = Facts(
        request=request,
        deployment=deployment,
        desired=desired,
        drifts=drifts,
        foreign=_foreign(request, desired, drifts, watch),
        diagnosis=_diagnosis(request, deployment, desired, now),
        previous_status=previous_status,
        now=now,
        docs_url=watch.docs_url,
    )
    decision = decide(facts)
    children = response_children(facts, decision)
    status = parent_status(facts, await_records(facts, decision, children.written))
    return SyncResponse(
        status=status.fields,
        children=children.written,
        kept=children.kept,
        resync_after=resync(status.timers, now),
        findings=facts.findings,
    )


def _drifts(request: SyncRequest, desired: DesiredState) -> list[Drift]:
    """Return the drifts: none while suspended; one for a stale request, whose spec is not the one to compare with."""
    if desired.is_suspended:
        return []
    if newer := newer_generation_drift(request):
        return [newer]
    drifts = find_drifts(desired.children, request.children)
    # A Deployment is not among the desired children while another has its name.
    drifts = drifts or [Drift(each.kind, each.name) for each in desired.occupants if each.kind == "Deployment"]
    # Of an invalid spec or a deleted parent nothing is listed, and no observed child is undesired for that.
    is_listing = desired.problem is None and not request.parent.deleting
    return [*drifts, *undesired_children(desired.children, request.children)] if is_listing else drifts


def _foreign(request: SyncRequest, desired: DesiredState, drifts: list[Drift], watch: Watch) -> list[Foreign]:
    """Return the children with fields that only others set; those that are kept set what was applied last, if known."""
    if desired.is_suspended:
        return []
    is_stale = bool(drifts) and drifts[0].is_from_newer_generation  # such a drift is the only one
    kept = request.children.kept() if is_stale else desired.kept
    manifests = [child for child in kept if "spec" in child] if kept else desired.children
    return find_foreign(manifests, request.children, watch.expected_managers)


def _diagnosis(request: SyncRequest, deployment: Deployment | None, desired: DesiredState, now: datetime) -> Diagnosis:
    """Return what Pods show, if the spec is valid; for every reason of Ready, because Available depends on it, too."""
    if desired.spec is None or deployment is None or request.parent.deleting:
        return NOTHING_KNOWN
    pods = request.related.all(Pod)
    return NOTHING_KNOWN if isinstance(pods, Absence) else diagnose_pods(pods, deployment, desired.spec, now)
