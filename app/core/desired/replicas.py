"""The desired number of Pods: that of the spec, or, with autoscaling, the one that the autoscaler has set.

An autoscaler changes ``spec.replicas`` of the Deployment, so the observed number is the desired one. It can't just be
left out: Metacontroller's dynamic-apply then removes it, and the API server sets 1. It is returned as observed, and a
write with an old one is refused because of its resourceVersion. Server-side apply has no such check, and would set an
old number: there the field is left out while the autoscaler owns it, which changes nothing.
"""

from typing import NamedTuple

from app.api.spec import MyResourceSpec
from app.core.child_metadata import ASLEEP
from app.core.desired.schedule import ScheduleState
from metahook import LAST_APPLIED, Children, Deployment, overriding_manager


class Replicas(NamedTuple):
    """The ``desired`` number of Pods."""

    desired: int
    is_autoscaled: bool = False
    """Whether an autoscaler may change the number."""
    is_left_out: bool = False
    """Whether the desired Deployment does not have the number, because the autoscaler owns it."""
    is_asleep: bool = False
    """Whether the schedule asks for this number, because it asks to sleep."""

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations of the children that the schedule changes.

        So an edge of the schedule is a change of our own, as a new generation is, and not one by the autoscaler.
        """
        return {ASLEEP: str(self.desired)} if self.is_asleep else {}


def desired_replicas(
    spec: MyResourceSpec, deployment: Deployment | None, children: Children, schedule: ScheduleState | None = None
) -> Replicas:
    """Return how many Pods there should be, as *spec* and the state of its *schedule* ask.

    With autoscaling, the *deployment*, one of *children*, shows how many the autoscaler wants; while the MyResource
    sleeps, it does nothing.
    """
    if schedule is not None and schedule.replicas is not None:
        return Replicas(schedule.replicas, is_asleep=True)
    if spec.autoscaling is None:
        return Replicas(spec.replicas)
    least, most = spec.autoscaling.min_replicas, spec.autoscaling.max_replicas
    observed = observed_replicas(deployment)
    desired = min(most, max(least, observed))
    is_left_out = desired == observed and deployment is not None and _is_left_to_others(deployment, children)
    return Replicas(desired, is_autoscaled=True, is_left_out=is_left_out)


def most_replicas(spec: MyResourceSpec) -> int:
    """Return how many Pods there can be before *spec* changes, awake or asleep."""
    windows = spec.schedule.sleep if spec.schedule else []
    awake = spec.autoscaling.max_replicas if spec.autoscaling else spec.replicas
    return max(awake, *(window.replicas for window in windows)) if windows else awake


def observed_replicas(deployment: Deployment | None) -> int:
    """Return the number that *deployment* asks for; 0 if there is none. An autoscaler does not change 0."""
    replicas = ((deployment and deployment.spec) or {}).get("replicas")
    return replicas if isinstance(replicas, int) else 0


def _is_left_to_others(deployment: Deployment, children: Children) -> bool:
    """Tell whether it was applied server-side, and another manager owns the number."""
    return deployment.metadata.annotation(LAST_APPLIED) is None and is_set_by_others(deployment, children)


def is_set_by_others(deployment: Deployment, children: Children) -> bool:
    """Tell whether another manager, such as an autoscaler, has set the number of Pods in *deployment*."""
    kind, name = deployment.KIND, deployment.metadata.name
    named = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": name}}
    return bool(overriding_manager(named, "spec.replicas", children))
