"""The desired number of Pods, from the spec, a schedule or an autoscaler, and the children that follow from it.

An autoscaler changes ``spec.replicas`` of the Deployment, so the observed number is the desired one. It can't just be
left out: Metacontroller's dynamic-apply then removes it, and the API server sets 1. It is returned as observed, and a
write with an old one is refused because of its resourceVersion. Server-side apply has no such check, and would set an
old number: there the field is left out while the autoscaler owns it, which changes nothing.

The clock of a schedule never goes back. Where the clocks of its time zone are set back, it stands still until they show
a later time than ever before; where they are set forward, so is it. An edge is the first moment at which it shows the
edge's time or a later one. So no window ends before it starts, and windows stay in their order.
"""

from bisect import bisect_left
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from itertools import chain, count
from typing import Any, Literal, NamedTuple

from app.api.names import CONTAINER
from app.api.scaling import DAYS, Schedule, time_zone
from app.api.spec import MyResourceSpec
from app.core.child_metadata import ASLEEP, deployment_name, manifest_of, present, selector
from metahook import (
    LAST_APPLIED,
    Children,
    Deployment,
    HorizontalPodAutoscaler,
    Manifest,
    Parent,
    PodDisruptionBudget,
    overriding_manager,
)

State = Literal["Awake", "Asleep"]


class ScheduleState(NamedTuple):
    """What a schedule asks for: as many ``replicas`` while asleep, None while awake; until the ``next_transition``."""

    replicas: int | None
    next_transition: datetime

    @property
    def name(self) -> State:
        """Its name in ``status.schedule``."""
        return "Awake" if self.replicas is None else "Asleep"


class _Sleep(NamedTuple):
    """A window on one of its days."""

    start: datetime
    end: datetime
    replicas: int


def schedule_state(schedule: Schedule, now: datetime) -> ScheduleState:
    """Return what the valid *schedule* asks for; the next transition has the offset of its time zone."""
    zone = time_zone(schedule.time_zone) or UTC
    until = datetime.fromisoformat(schedule.override_until) if schedule.override_until else now
    sleeps = _sleeps(schedule, zone, max(now, until))
    if now < until:
        is_asleep = schedule.override_state == "Asleep"
        replicas = min(window.replicas for window in schedule.sleep) if is_asleep else None
        transition = _next_transition(replicas, until, sleeps)
    else:
        sleep = next(sleeps)
        replicas = sleep.replicas if sleep.start <= now else None
        transition = _next_transition(replicas, now, chain([sleep], sleeps))
    # With a fixed offset: Python takes no time that the clocks of a zone show twice for equal to one in UTC.
    offset = transition.astimezone(zone).utcoffset() or timedelta()
    return ScheduleState(replicas, transition.astimezone(timezone(offset)))


def _next_transition(replicas: int | None, moment: datetime, sleeps: Iterator[_Sleep]) -> datetime:
    """Return the first time, at *moment* or later, at which *sleeps* ask for something else than *replicas*."""
    for sleep in sleeps:
        is_awake_before = moment < sleep.start
        if is_awake_before and replicas is not None:
            break
        moment = max(moment, sleep.start)
        if sleep.replicas != replicas:
            break
        moment = sleep.end
    return moment


def _sleeps(schedule: Schedule, zone: tzinfo, after: datetime) -> Iterator[_Sleep]:
    """Yield the sleeps that end *after* then, in their order; there is always another one."""
    windows = sorted((*window.minutes, window.days, window.replicas) for window in schedule.sleep)
    excepted = {date.fromisoformat(text) for text in schedule.except_ or ()}
    yesterday = after.astimezone(zone).toordinal() - 1  # its windows can end today
    for day in map(date.fromordinal, count(yesterday)):
        if day in excepted:
            continue
        for first_minute, last_minute, days, replicas in windows:
            if DAYS[day.weekday()] in days:
                start, end = (_when(day, minutes, zone) for minutes in (first_minute, last_minute))
                if max(start, after) < end:  # a window that the clocks skip is empty
                    yield _Sleep(start, end, replicas)


def _when(day: date, minutes: int, zone: tzinfo) -> datetime:
    """Return when the clocks of *zone* first show the time *minutes* after the beginning of *day*, or a later one."""
    local = datetime(day.year, day.month, day.day, tzinfo=zone) + timedelta(minutes=minutes)
    moment, before = local.astimezone(UTC), local.replace(fold=1).astimezone(UTC)
    if before >= moment:  # later only if the clocks show the time twice
        return moment

    # The clocks skip the time: the transition is between these two.
    def shown(second: int) -> datetime:
        return (before + timedelta(seconds=second)).astimezone(zone).replace(tzinfo=None)

    seconds = range(int((moment - before).total_seconds()))
    return before + timedelta(seconds=bisect_left(seconds, local.replace(tzinfo=None), key=shown))


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


def autoscaler(parent: Parent, spec: MyResourceSpec, replicas: Replicas) -> Manifest | None:
    """Return the HorizontalPodAutoscaler; None if *spec* asks for none.

    It scales the Deployment: the spec of the MyResource is the user's. While the MyResource sleeps, it stays, but can
    only choose the number of *replicas* that there are. It does nothing by itself while there are none.
    """
    autoscaling = spec.autoscaling
    if autoscaling is None:
        return None
    is_held = not replicas.is_autoscaled and replicas.desired > 0
    targets = {"cpu": autoscaling.target_cpu, "memory": autoscaling.target_memory}
    kind = Deployment.KIND
    fields = {
        "scaleTargetRef": {"apiVersion": kind.api_version, "kind": kind.kind, "name": deployment_name(parent)},
        "minReplicas": replicas.desired if is_held else autoscaling.min_replicas,
        "maxReplicas": replicas.desired if is_held else autoscaling.max_replicas,
        "metrics": [_metric(name, percentage) for name, percentage in targets.items() if percentage],
        "behavior": autoscaling.behavior and autoscaling.behavior.as_json(),
    }
    return manifest_of(HorizontalPodAutoscaler, parent, present(fields), annotations=replicas.annotations)


def _metric(resource: str, percentage: int) -> dict[str, Any]:
    """Return the metric of the container main: a sidecar without a request would make that of the whole Pod fail."""
    return {
        "type": "ContainerResource",
        "containerResource": {
            "container": CONTAINER,
            "name": resource,
            "target": {"type": "Utilization", "averageUtilization": percentage},
        },
    }


def budget(parent: Parent, spec: MyResourceSpec, _: Replicas) -> Manifest | None:
    """Return the PodDisruptionBudget, or None: for a single Pod there is nothing to protect.

    With an autoscaler or a schedule it is there as soon as there may be more, so that it does not come and go as the
    number changes. It never blocks the drain of a node for good: one Pod may always be evicted, and a Pod that is not
    ready, too.
    """
    if most_replicas(spec) <= 1:
        return None
    fields = {
        "maxUnavailable": 1,
        "selector": {"matchLabels": selector(parent)},
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
    }
    return manifest_of(PodDisruptionBudget, parent, fields)
