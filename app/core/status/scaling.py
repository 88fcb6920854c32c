"""Scaling: Pods start or stop because an autoscaler changed their number, and no user did. That is no fault.

It narrows the rules about the rollout, and hides nothing that they show without an autoscaler. A change of the template
is a rollout, and a Pod that was ready and is not any more is a loss, whatever the autoscaler does meanwhile.

Until the Deployment controller has observed a change, only the change itself tells whether it is of the template. So
the Deployment has an annotation with the hash of its template, once that was rolled out. As long as both agree, what
the status of the Deployment says is about this template. The response drops the annotation with the first change of the
template, because a later one can bring the same template back.
"""

import hashlib

import msgspec

from app.core.child_metadata import ROLLED_OUT_TEMPLATE
from app.core.desired.desired_state import DesiredState
from app.core.rollout import Rollout
from app.core.status.previous_status import PreviousStatus
from app.core.timers import after, parse_time
from metahook import Children, Deployment, HorizontalPodAutoscaler, drifted_field

_LENGTH = 16
"""Hexadecimal digits."""

_GRACE = 15
"""Seconds in which the Deployment controller observes a change of the number."""


class Scaling:
    """What *rollout* shows of scaling, if the *desired* number of Pods is an autoscaler's."""

    def __init__(
        self, desired: DesiredState, rollout: Rollout, previous_status: PreviousStatus, children: Children
    ) -> None:
        self.rolled_out_template: str | None = None
        """The annotation of the Deployment: see :mod:`app.core.status.scaling`."""
        self.is_in_progress = False
        """Whether Pods start or stop because an autoscaler changed their number, as far as the Deployment shows.

        Those that do not start within the deadline of the rollout are missing, as any others.
        """
        spec, deployment = desired.spec, rollout.deployment
        if not desired.replicas.is_autoscaled or spec is None or spec.autoscaling is None or deployment is None:
            return
        template = template_hash(deployment)
        is_known = deployment.metadata.annotation(ROLLED_OUT_TEMPLATE) == template
        is_sound = rollout.is_complete and rollout.updated == rollout.existing
        if (is_known or (is_sound and not rollout.is_not_yet_observed)) and _has_template(desired, children):
            self.rolled_out_template = template
        if not previous_status.is_ready or not (is_known or not rollout.is_not_yet_observed):
            return
        counted = previous_status.pod_counts
        ready = min(counted.ready, rollout.replicas) if counted else 0
        has_enough = rollout.ready >= ready and rollout.available >= spec.autoscaling.min_replicas
        is_explained = rollout.is_available or _can_have_grown(deployment, children)
        self.is_in_progress = is_sound and has_enough and is_explained


def template_hash(deployment: Deployment) -> str:
    """Return the hash of the Pod template of an observed *deployment*."""
    template = (deployment.spec or {}).get("template")
    return hashlib.sha256(msgspec.json.encode(template, order="sorted")).hexdigest()[:_LENGTH]


def _has_template(desired: DesiredState, children: Children) -> bool:
    """Tell whether the observed Deployment has the desired Pod template."""
    manifests = (child for child in desired.children if child["kind"] == Deployment.KIND.kind)
    only = ({**each, "spec": {"template": each["spec"]["template"]}} for each in manifests)
    return not any(drifted_field(each, children) for each in only)


def _can_have_grown(deployment: Deployment, children: Children) -> bool:
    """Tell whether *deployment* may be unavailable because it was scaled up, and not because it lost Pods later.

    The API server records no time for a change of the number by an autoscaler. The autoscaler itself does, unless its
    status is older than the number.
    """
    status = next((each.status for each in children.all(HorizontalPodAutoscaler)), None)
    if status is None or status.desired_replicas != (deployment.spec or {}).get("replicas"):
        return True
    condition = deployment.status.condition("Available") if deployment.status else None
    unavailable_since = parse_time(condition.last_transition_time) if condition else None
    scaled_at = parse_time(status.last_scale_time)
    latest = after(scaled_at, _GRACE) if scaled_at else None
    return unavailable_since is None or (latest is not None and unavailable_since <= latest)
