"""The desired number of Pods."""

from app.api.spec import MyResourceSpec
from app.core.desired.schedule import ScheduleState


def desired_replicas(spec: MyResourceSpec, schedule: ScheduleState | None) -> int:
    """Return how many Pods there should be, as *spec* and the state of its *schedule* ask."""
    if schedule is not None and schedule.replicas is not None:
        return schedule.replicas
    return spec.replicas
