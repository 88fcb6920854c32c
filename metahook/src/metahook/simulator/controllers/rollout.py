"""The arithmetic of a rollout: the next size of each ReplicaSet.

Source: Kubernetes, pkg/controller/deployment/rolling.go and util/deployment_util.go.
"""

import math
from dataclasses import dataclass

from metahook.simulator.objects import Json


@dataclass(frozen=True)
class PodCounts:
    """The Pod counts of a ReplicaSet: desired in its spec, and observed in its status."""

    name: str
    desired: int
    replicas: int = 0
    ready: int = 0
    available: int = 0


def surge_and_unavailable(spec: Json) -> tuple[int, int]:
    """Return how many Pods a rollout may have above, and below, the desired replicas of a Deployment's *spec*."""
    if spec["strategy"]["type"] == "Recreate":
        return 0, 0
    rolling = spec["strategy"].get("rollingUpdate", {})
    surge = math.ceil(_share(rolling.get("maxSurge", 0), spec["replicas"]))
    unavailable = math.floor(_share(rolling.get("maxUnavailable", 0), spec["replicas"]))
    return (0, 1) if surge == unavailable == 0 else (surge, unavailable)


def _share(value: int | str, replicas: int) -> float:
    return value if isinstance(value, int) else replicas * int(value.removesuffix("%")) / 100


def next_sizes(spec: Json, new: PodCounts | None, old: list[PodCounts]) -> dict[str, int]:
    """Return the next size of each ReplicaSet that changes, by name."""
    if new is None or spec.get("paused"):
        return _resize(spec, [*old, *([new] if new else [])])
    if spec["strategy"]["type"] == "Recreate":
        return _recreate(spec, new, old)
    return _scale_up(spec, new, old) or _scale_down(spec, new, old)


def _resize(spec: Json, sets: list[PodCounts]) -> dict[str, int]:
    """Resize the only active ReplicaSet, or the newest: scaling is not a rollout."""
    active = [each for each in sets if each.desired] or sets[-1:]
    return {each.name: spec["replicas"] for each in active if len(active) == 1 and each.desired != spec["replicas"]}


def _recreate(spec: Json, new: PodCounts, old: list[PodCounts]) -> dict[str, int]:
    down = {each.name: 0 for each in old if each.desired}
    if down or any(each.replicas for each in old):
        return down
    return {} if new.desired == spec["replicas"] else {new.name: spec["replicas"]}


def _scale_up(spec: Json, new: PodCounts, old: list[PodCounts]) -> dict[str, int]:
    """Scale up the new ReplicaSet within maxSurge."""
    if new.desired == spec["replicas"]:
        return {}
    if new.desired > spec["replicas"]:
        return {new.name: spec["replicas"]}
    room = spec["replicas"] + surge_and_unavailable(spec)[0] - new.desired - sum(each.desired for each in old)
    more = min(room, spec["replicas"] - new.desired)
    return {new.name: new.desired + more} if more > 0 else {}


def _scale_down(spec: Json, new: PodCounts, old: list[PodCounts]) -> dict[str, int]:
    """Scale down the old ReplicaSets: first their unavailable Pods, then within maxUnavailable."""
    least = spec["replicas"] - surge_and_unavailable(spec)[1]
    total = new.desired + sum(each.desired for each in old)
    spare = total - least - (new.desired - new.available)
    sizes = {each.name: each.desired for each in old}
    for each in old:
        unhealthy = min(max(spare, 0), max(each.desired - each.available, 0))
        sizes[each.name] -= unhealthy
        spare -= unhealthy
    spare = min(spare, new.available + sum(each.available for each in old) - least)
    for each in old:
        surplus = min(max(spare, 0), sizes[each.name])
        sizes[each.name] -= surplus
        spare -= surplus
    return {each.name: sizes[each.name] for each in old if sizes[each.name] != each.desired}
