"""The sync hook. Read this first: its steps are the way of a request through the core.

1. previous_status  what the next status depends on: since when something is waited for, which generation was Ready
2. desired_state    the children that the spec asks for, or why the observed ones are kept
3. drifts           how the observed children differ from the desired ones, or show that the request is stale; and which
                    fields only others set
4. diagnosis        why Pods are not available, or will not stay available
5. facts            all of these, with the time since when the drift, or the rollout, has been waited for, and whether
                    another user or controller keeps changing a child: a change keeps coming back, or a value still
                    differs although the hook's second write, after 30 seconds, has arrived
6. decide           the reason of Ready: the first rule that holds for the facts
7. next_rollback    if the spec asks for rollbacks: what the Deployment is to remember from now on, and whether its last
                    image comes back; the status says so only once that is observed
8. to_send          the desired children, with what they remember of rollouts and reverted changes, with the annotation
                    that makes Metacontroller send one again, or with the observed values where another user or
                    controller keeps changing them
9. await_records    Ready becomes True only once the Deployment has what it is to remember
10. parent_status   the status, with the other conditions
11. written_counts  the numbers of Pods in it, which are written less often than they change
12. resync          when time alone changes the response
"""

from datetime import datetime

from app.core.child_metadata import (
    REPAIR_ANNOTATION,
    REVERTED,
    deployment_name,
)
from app.core.desired.deployment import with_rollback
from app.core.desired.desired_state import DesiredState, desired_state, left_as_applied
from app.core.desired.memo import GenerationMemo
from app.core.desired.rollback import Rollback
from app.core.diagnosis.pod_diagnosis import NOTHING_KNOWN, Diagnosis, diagnose_pods
from app.core.drift import (
    Drift,
    Foreign,
    find_drifts,
    find_foreign,
    has_annotations,
    newer_generation_drift,
    undesired_children,
)
from app.core.status.facts.facts import Facts
from app.core.status.facts.override import read_annotation
from app.core.status.facts.previous_status import PreviousStatus
from app.core.status.parent_status import parent_status
from app.core.status.pod_counts import written_counts
from app.core.status.readiness import await_records, decide
from app.core.status.rollback import next_rollback
from app.core.timers import resync
from app.core.watch import Watch
from metahook import (
    Absence,
    Deployment,
    Manifest,
    Object,
    Pod,
    SyncRequest,
    SyncResponse,
    generation_stamp,
    with_annotations,
    with_observed_values,
    with_repair,
)


def sync(request: SyncRequest, now: datetime, watch: Watch, memo: GenerationMemo | None = None) -> SyncResponse:
    """Return the desired children and the status of the parent of *request*."""
    previous_status = PreviousStatus(request.parent)
    deployment = request.children.get(Deployment, deployment_name(request.parent))
    desired = desired_state(request, deployment, now, watch, memo, previous=previous_status.readiness)
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
    )
    decision = decide(facts)
    rollback = next_rollback(facts, decision) if desired.rollback else None
    is_keeping = facts.wait.is_keeping_newer_children  # this spec would undo later changes
    children = [] if is_keeping else [_to_send(child, request, facts, rollback) for child in desired.children]
    decision = await_records(facts, decision, children)
    status = parent_status(facts, decision, watch.docs_url)
    pods = written_counts(facts, status, ready_by=decision.awaits_records_until)
    return SyncResponse(
        status={**status, **pods.fields()},
        children=children,
        kept=left_as_applied(request.parent, request.children) if is_keeping else [*desired.kept],
        resync_after=resync([*facts.timers(), decision.awaits_records_until, pods.changes_at], now),
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


def _to_send(child: Manifest, request: SyncRequest, facts: Facts, rollback: Rollback | None) -> Manifest:
    """Return *child*, with the repair annotation while the observed one lacks a label, or has long had another value.

    See :mod:`metahook.protocol.drift`. Values that are overridden are the observed ones. The *rollback* is what
    the Deployment is to remember from now on, if that changes.
    """
    named = (child["kind"], child["metadata"]["name"])
    drift = next((each for each in facts.drifts if (each.kind, each.name) == named), None) if facts.drifts else None
    observed = request.children.observed(child)
    spec = facts.desired.spec
    if facts.desired.service and child["kind"] == "Service":
        child = facts.desired.service
    if rollback and spec and child["kind"] == "Deployment":
        child = with_rollback(child, spec, rollback)
    is_changed = drift is not None and drift.path is not None and drift.overridden_by is not None
    if is_changed and facts.overriding.is_yielding:
        child = with_observed_values(child, request.children)
    if reverted := _reverted(observed, drift if is_changed else None, facts):
        child = with_annotations(child, {REVERTED: reverted})
    resend = facts.resend if drift and drift is facts.drift else None
    restored = (spec.propagate.annotations if spec and spec.propagate else None) or ()
    child = with_repair(child, observed, REPAIR_ANNOTATION, resend, restored=restored)
    return _with_template_records(child, facts) if child["kind"] == "Deployment" else child


def _reverted(observed: Object | None, changed: Drift | None, facts: Facts) -> str | None:
    """Return what a child remembers of the last change that was reverted.

    *changed* is its drift, if another user or controller changed it.
    """
    last = facts.overriding.last
    if changed and last and not facts.overriding.is_yielding:
        return last.annotation(changed.child_version)
    if facts.overriding.known and observed and read_annotation(observed, generation_stamp(facts.parent)):
        return observed.metadata.annotation(REVERTED)
    return None


def _with_template_records(child: Manifest, facts: Facts) -> Manifest:
    """Return the Deployment *child* with what it remembers of its Pod templates."""
    records, observed = facts.template_records, facts.rollout.deployment
    alone = with_annotations(child, records.annotations(is_written=False))
    # A Deployment that differs is written for the spec, which is news itself.
    if observed is None or facts.deployment_drift or has_annotations(alone, observed):
        return alone
    return with_annotations(child, records.annotations(is_written=True))
