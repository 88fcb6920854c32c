"""The children of the response: the desired ones, with what each is to remember, or the observed ones that are kept.

What is written on a child besides what the spec asks for follows from the observed child: the annotation that makes
Metacontroller send it again while it lacks a label, or has long had another value; the last change that was reverted;
and, on the Deployment, its Pod templates. With rollbacks it also has the last image that was Ready, and the decision to
get that one back, which is made only for a failure that another image can mend.
"""

from typing import NamedTuple

from app.api.names import CONTAINER
from app.core import reasons
from app.core.child_metadata import REPAIR_ANNOTATION, REVERTED
from app.core.desired.deployment import with_rollback
from app.core.desired.desired_state import left_as_applied
from app.core.desired.rollback import Rollback, decide_rollback
from app.core.drift import Drift, has_annotations
from app.core.facts import Facts
from app.core.override import read_annotation
from app.core.readiness import Decision
from app.core.reasons import Outlook
from metahook import Manifest, Object, generation_stamp, with_annotations, with_observed_values, with_repair

MENDED_BY_IMAGE = (
    reasons.IMAGE_PULL_FAILED,
    reasons.RUN_CONTAINER_ERROR,
    reasons.OOM_KILLED,
    reasons.CRASH_LOOPING,
    reasons.PROBE_FAILING,
)
"""The causes that Pods show for which the last image comes back. All others are about the spec or the cluster."""


class ResponseChildren(NamedTuple):
    """The children to write, and those to keep as they are."""

    written: list[Manifest]
    kept: list[Manifest]


def response_children(facts: Facts, decision: Decision) -> ResponseChildren:
    """Return the children of the response. A spec that is older than the observed ones would undo later changes."""
    if facts.wait.is_keeping_newer_children:
        return ResponseChildren([], left_as_applied(facts.parent, facts.children))
    rollback = _next_rollback(facts, decision) if facts.desired.rollback else None
    return ResponseChildren(
        [_to_send(child, facts, rollback) for child in facts.desired.children], [*facts.desired.kept]
    )


def _to_send(child: Manifest, facts: Facts, rollback: Rollback | None) -> Manifest:
    """Return *child*, with the repair annotation while the observed one lacks a label, or has long had another value.

    See :mod:`metahook.protocol.drift`. Values that are overridden are the observed ones. The *rollback* is what
    the Deployment is to remember from now on, if that changes.
    """
    named = (child["kind"], child["metadata"]["name"])
    drift = next((each for each in facts.drifts if (each.kind, each.name) == named), None) if facts.drifts else None
    observed = facts.children.observed(child)
    spec = facts.desired.spec
    if facts.desired.service and child["kind"] == "Service":
        child = facts.desired.service
    if rollback and spec and child["kind"] == "Deployment":
        child = with_rollback(child, spec, rollback)
    is_changed = drift is not None and drift.path is not None and drift.overridden_by is not None
    if is_changed and facts.overriding.is_yielding:
        child = with_observed_values(child, facts.children)
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
    """Return the Deployment *child* with what it remembers of its Pod templates; most remember nothing."""
    records, observed = facts.template_records, facts.rollout.deployment
    remembered = records.annotations(is_written=False)
    alone = with_annotations(child, remembered) if remembered else child
    # No record comes with a write, or the write is for the spec, which is news itself.
    if observed is None or not records.is_kept or facts.deployment_drift or has_annotations(alone, observed):
        return alone
    return with_annotations(child, records.annotations(is_written=True))


def _next_rollback(facts: Facts, decision: Decision) -> Rollback | None:
    rollback, image = facts.desired.rollback, facts.desired.unrecorded_image
    if rollback is None or image is None:
        return None
    if decision.rule.outlook is Outlook.READY and facts.rollout.replicas > 0:
        return Rollback(image)
    if rollback.ready_image and _has_failed(facts, decision) and _can_be_mended(facts, decision):
        return Rollback(rollback.ready_image, decide_rollback(facts.parent, decision.reason.name))
    return None


def _has_failed(facts: Facts, decision: Decision) -> bool:
    """Tell whether the rollout of this image is late.

    Until the Deployment controller reports progress, its status can still say that an earlier rollout was late: no new
    Pod exists then, or those of an old ReplicaSet, which it uses again. It never renews that report, so what was
    written to the Deployment since tells nothing. A rollout without Pods is complete at once, so it never reports that
    the first Pods of such an image are late.
    """
    rollout, deadlines = facts.rollout, facts.deadlines
    is_reported = rollout.is_late or deadlines.is_stability_late or (rollout.is_complete and deadlines.has_no_progress)
    if decision.rule is not reasons.PROGRESS_DEADLINE_EXCEEDED or rollout.is_not_yet_observed or not is_reported:
        return False
    return rollout.replicas > 0 and not rollout.has_updated_none and not facts.template_records.is_failure_earlier


def _can_be_mended(facts: Facts, decision: Decision) -> bool:
    """Tell whether another image of the container ``main`` can repair it.

    If no cause is known, it can be a ConfigMap or a Secret that is not watched, and does not exist.
    """
    if decision.cause is None:
        return facts.desired.config.is_known
    return decision.reason in MENDED_BY_IMAGE and decision.cause.container == CONTAINER
