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
    active = [replica_set for replica_set in sets if replica_set.desired] or sets[-1:]
    return {
        replica_set.name: spec["replicas"]
        for replica_set in active
        if len(active) == 1 and replica_set.desired != spec["replicas"]
    }


def _recreate(spec: Json, new: PodCounts, old: list[PodCounts]) -> dict[str, int]:
    down = {replica_set.name: 0 for replica_set in old if replica_set.desired}
    if down or any(replica_set.replicas for replica_set in old):
        return down
    return {} if new.desired == spec["replicas"] else {new.name: spec["replicas"]}


def _scale_up(spec: Json, new: PodCounts, old: list[PodCounts]) -> dict[str, int]:
    """Scale up the new ReplicaSet within maxSurge."""
    if new.desired == spec["replicas"]:
        return {}
    if new.desired > spec["replicas"]:
        return {new.name: spec["replicas"]}
    room = (
        spec["replicas"]
        + surge_and_unavailable(spec)[0]
        - new.desired
        - sum(replica_set.desired for replica_set in old)
    )
    more = min(room, spec["replicas"] - new.desired)
    return {new.name: new.desired + more} if more > 0 else {}


def _scale_down(spec: Json, new: PodCounts, old: list[PodCounts]) -> dict[str, int]:
    """Scale down the old ReplicaSets: first their unavailable Pods, then within maxUnavailable."""
    least = spec["replicas"] - surge_and_unavailable(spec)[1]
    total = new.desired + sum(replica_set.desired for replica_set in old)
    spare = total - least - (new.desired - new.available)
    sizes = {replica_set.name: replica_set.desired for replica_set in old}
    for replica_set in old:
        unhealthy = min(max(spare, 0), max(replica_set.desired - replica_set.available, 0))
        sizes[replica_set.name] -= unhealthy
        spare -= unhealthy
    spare = min(spare, new.available + sum(replica_set.available for replica_set in old) - least)
    for replica_set in old:
        surplus = min(max(spare, 0), sizes[replica_set.name])
        sizes[replica_set.name] -= surplus
        spare -= surplus
    return {
        replica_set.name: sizes[replica_set.name]
        for replica_set in old
        if sizes[replica_set.name] != replica_set.desired
    }
