"""Scaling: Pods start or stop because an autoscaler changed their number, and no user did. That is no fault.

It narrows the rules about the rollout, and hides nothing that they show without an autoscaler. A change of the template
is a rollout, and a Pod that was ready and is not any more is a loss, whatever the autoscaler does meanwhile.
"""

from datetime import datetime

from app.core.desired.desired_state import DesiredState
from app.core.desired.replicas import is_set_by_others, observed_replicas
from app.core.rollout import Rollout
from app.core.status.facts.previous_status import PreviousStatus
from app.core.timers import after, parse_time
from metahook import Children, Deployment, HorizontalPodAutoscaler

_REACTION = 2
"""Seconds in which the Deployment controller observes a new number of Pods; the same process has both controllers."""


def is_scaling(desired: DesiredState, rollout: Rollout, previous_status: PreviousStatus, children: Children) -> bool:
    """Tell whether Pods start or stop because an autoscaler changed their number, as far as the Deployment shows.

    Its status is about the template that it has. Pods that do not start within the deadline of the rollout are missing,
    as any others.
    """
    spec, deployment = desired.spec, rollout.deployment
    if spec is None or spec.autoscaling is None or deployment is None:
        return False
    if not (rollout.is_sound and previous_status.is_ready):
        return False
    counted = previous_status.pod_counts
    ready = min(counted.ready, rollout.replicas) if counted else 0
    has_enough = rollout.ready >= ready and rollout.available >= spec.autoscaling.min_replicas
    return has_enough and (rollout.is_available or _can_have_grown(deployment, rollout, children))


def _can_have_grown(deployment: Deployment, rollout: Rollout, children: Children) -> bool:
    """Tell whether *deployment* may be unavailable because it was scaled up, and not because it lost Pods later.

    The previous status can be too old to have counted these.
    """
    available = rollout.availability
    unavailable_since = parse_time(available.last_transition_time) if available else None
    return may_have_scaled(deployment, children, unavailable_since and after(unavailable_since, -_REACTION))


def may_have_scaled(deployment: Deployment, children: Children, since: datetime | None) -> bool:
    """Tell whether another client may have changed the number of Pods *since* then; None means at any time.

    The API server records no time for a change by ``/scale``. An autoscaler does, unless its status is older.
    """
    if not is_set_by_others(deployment, children):
        return False
    status = next((each.status for each in children.all(HorizontalPodAutoscaler)), None)
    if status is None or status.desired_replicas != observed_replicas(deployment):
        return True
    scaled_at = parse_time(status.last_scale_time)
    return scaled_at is None or since is None or scaled_at >= since
