"""The desired number of Pods."""

from app.api.spec import MyResourceSpec
from app.core.desired.schedule import ScheduleState


def desired_replicas(spec: MyResourceSpec, schedule: ScheduleState | None) -> int:
    """Return how many Pods there should be, as *spec* and the state of its *schedule* ask."""
    if schedule is not None and schedule.replicas is not None:
        return schedule.replicas
    return spec.replicas


def most_replicas(spec: MyResourceSpec, replicas: int) -> int:
    """Return how many Pods *spec* asks for at most, *replicas* now, awake or asleep."""
    windows = spec.schedule.sleep if spec.schedule else []
    return max(replicas, spec.replicas, *(window.replicas for window in windows))
