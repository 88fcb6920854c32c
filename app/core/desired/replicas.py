"""The desired number of Pods: that of the spec, or, with autoscaling, the one that the autoscaler has set.

An autoscaler changes ``spec.replicas`` of the Deployment, so the observed number is the desired one. It can't just be
left out: Metacontroller's dynamic-apply then removes it, and the API server sets 1. It is returned as observed, and a
write with an old one is refused because of its resourceVersion. Server-side apply has no such check, and would set an
old number: there the field is left out while the autoscaler owns it, which changes nothing.
"""

from typing import NamedTuple

from app.api.spec import MyResourceSpec
from app.core.child_metadata import autoscaler_name, deployment_name
from app.core.desired.schedule import ScheduleState
from metahook import (
    LAST_APPLIED,
    Children,
    Deployment,
    HorizontalPodAutoscaler,
    Manifest,
    Parent,
    overriding_manager,
)


class Replicas(NamedTuple):
    """The ``desired`` number of Pods, and the ``most`` that there can be before the spec changes."""

    desired: int
    most: int
    is_autoscaled: bool = False
    """Whether an autoscaler may change the number."""
    is_left_out: bool = False
    """Whether the desired Deployment does not have the number, because the autoscaler owns it."""


def fixed(number: int) -> Replicas:
    """Return *number*, which no autoscaler changes."""
    return Replicas(number, number)


def desired_replicas(
    parent: Parent, spec: MyResourceSpec, children: Children, schedule: ScheduleState | None = None
) -> Replicas:
    """Return how many Pods there should be, as *spec* and the state of its *schedule* ask.

    With autoscaling, *children* show how many the autoscaler wants; while the MyResource sleeps, it does nothing.
    """
    if schedule is not None and schedule.replicas is not None:
        return Replicas(schedule.replicas, _most_replicas(spec))
    if spec.autoscaling is None:
        return Replicas(spec.replicas, _most_replicas(spec))
    least, most = spec.autoscaling.min_replicas, spec.autoscaling.max_replicas
    deployment = children.get(Deployment, deployment_name(parent))
    observed = _replicas(deployment)
    desired = min(most, max(least, observed))
    is_left_out = desired == observed and deployment is not None and _is_left_to_others(deployment, children)
    return Replicas(desired, _most_replicas(spec), is_autoscaled=True, is_left_out=is_left_out)


def _most_replicas(spec: MyResourceSpec) -> int:
    """Return how many Pods *spec* asks for at most, awake or asleep."""
    windows = spec.schedule.sleep if spec.schedule else []
    awake = spec.autoscaling.max_replicas if spec.autoscaling else spec.replicas
    return max(awake, *(window.replicas for window in windows)) if windows else awake


def kept_children(parent: Parent, children: Children) -> list[Manifest]:
    """Return *children* as they were applied last, but with the number of Pods that an autoscaler among them has set.

    Metacontroller's dynamic-apply would otherwise undo what the autoscaler does, again and again.
    """
    kept = children.kept()
    if children.get(HorizontalPodAutoscaler, autoscaler_name(parent)) is None:
        return kept
    name = deployment_name(parent)
    observed = _replicas(children.get(Deployment, name))
    return [_with_replicas(each, observed) if each["metadata"]["name"] == name else each for each in kept]


def _with_replicas(child: Manifest, replicas: int) -> Manifest:
    """Return *child* with *replicas* in place of the number that it has, if it has one."""
    spec = child.get("spec")
    return {**child, "spec": {**spec, "replicas": replicas}} if isinstance(spec, dict) and "replicas" in spec else child


def _replicas(deployment: Deployment | None) -> int:
    """Return the number that *deployment* asks for; 0 if there is none. An autoscaler does not change 0."""
    replicas = ((deployment and deployment.spec) or {}).get("replicas")
    return replicas if isinstance(replicas, int) else 0


def _is_left_to_others(deployment: Deployment, children: Children) -> bool:
    """Tell whether it was applied server-side, and another manager owns the number."""
    if deployment.metadata.annotation(LAST_APPLIED) is not None:
        return False
    kind, name = deployment.KIND, deployment.metadata.name
    named = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": name}}
    return bool(overriding_manager(named, "spec.replicas", children))
