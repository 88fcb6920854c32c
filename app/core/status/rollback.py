"""Whether the Deployment is to remember the image as the last one that was Ready, or to get that one back.

The image comes back only for a failure that another image can mend: see ``MENDED_BY_IMAGE``.
"""

from app.api.names import CONTAINER
from app.core.desired.rollback import Rollback, decide_rollback
from app.core.reasons import (
    CRASH_LOOPING,
    IMAGE_PULL_FAILED,
    OOM_KILLED,
    PROBE_FAILING,
    PROGRESS_DEADLINE_EXCEEDED,
    RUN_CONTAINER_ERROR,
    Outlook,
)
from app.core.status.facts.facts import Facts
from app.core.status.readiness import Decision

MENDED_BY_IMAGE = (IMAGE_PULL_FAILED, RUN_CONTAINER_ERROR, OOM_KILLED, CRASH_LOOPING, PROBE_FAILING)
"""The causes that Pods show for which the last image comes back. All others are about the spec or the cluster."""


def next_rollback(facts: Facts, decision: Decision) -> Rollback | None:
    """Return what the Deployment is to remember from now on, if that changes by the *decision*."""
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
    if decision.rule is not PROGRESS_DEADLINE_EXCEEDED or rollout.is_not_yet_observed or not is_reported:
        return False
    return rollout.replicas > 0 and not rollout.has_updated_none and not facts.template_records.is_failure_earlier


def _can_be_mended(facts: Facts, decision: Decision) -> bool:
    """Tell whether another image of the container ``main`` can repair it.

    If no cause is known, it can be a ConfigMap or a Secret that is not watched, and does not exist.
    """
    if decision.cause is None:
        return facts.desired.config.is_known
    return decision.reason in MENDED_BY_IMAGE and decision.cause.container == CONTAINER
