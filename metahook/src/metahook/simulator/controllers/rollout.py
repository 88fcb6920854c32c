"""How many Pods of which ReplicaSet: the arithmetic of a rollout.

Source: Kubernetes, pkg/controller/deployment/rolling.go and util/deployment_util.go.
"""

import math
from dataclasses import dataclass

from metahook.simulator.objects import Json


@dataclass(frozen=True)
class Set:
    """A ReplicaSet: Pods asked for, there, ready, and available."""

    name: str
    asked: int
    there: int = 0
    ready: int = 0
    available: int = 0


def bounds(spec: Json) -> tuple[int, int]:
    """Return how many Pods there may be too many, and too few, for a Deployment's *spec*."""
    if spec["strategy"]["type"] == "Recreate":
        return 0, 0
    rolling = spec["strategy"].get("rollingUpdate", {})
    surge = math.ceil(_share(rolling.get("maxSurge", 0), spec["replicas"]))
    unavailable = math.floor(_share(rolling.get("maxUnavailable", 0), spec["replicas"]))
    return (0, 1) if surge == unavailable == 0 else (surge, unavailable)


def _share(value: int | str, replicas: int) -> float:
    return value if isinstance(value, int) else replicas * int(value.removesuffix("%")) / 100


def scaled(spec: Json, new: Set | None, old: list[Set]) -> dict[str, int]:
    """Return what the next step of the rollout asks of each ReplicaSet that is to change."""
    if new is None or spec.get("paused"):
        return _rescaled(spec, [*old, *([new] if new else [])])
    if spec["strategy"]["type"] == "Recreate":
        return _recreated(spec, new, old)
    return _grown(spec, new, old) or _shrunk(spec, new, old)


def _rescaled(spec: Json, sets: list[Set]) -> dict[str, int]:
    """Let the only one that has Pods, or the newest, have as many as are asked for: scaling is no rollout."""
    active = [each for each in sets if each.asked] or sets[-1:]
    return {each.name: spec["replicas"] for each in active if len(active) == 1 and each.asked != spec["replicas"]}


def _recreated(spec: Json, new: Set, old: list[Set]) -> dict[str, int]:
    down = {each.name: 0 for each in old if each.asked}
    if down or any(each.there for each in old):
        return down
    return {} if new.asked == spec["replicas"] else {new.name: spec["replicas"]}


def _grown(spec: Json, new: Set, old: list[Set]) -> dict[str, int]:
    """Let the new one grow as far as there may be too many."""
    if new.asked == spec["replicas"]:
        return {}
    if new.asked > spec["replicas"]:
        return {new.name: spec["replicas"]}
    room = spec["replicas"] + bounds(spec)[0] - new.asked - sum(each.asked for each in old)
    more = min(room, spec["replicas"] - new.asked)
    return {new.name: new.asked + more} if more > 0 else {}


def _shrunk(spec: Json, new: Set, old: list[Set]) -> dict[str, int]:
    """Let the old ones shrink: first their Pods that are not available, then as far as there may be too few."""
    least = spec["replicas"] - bounds(spec)[1]
    total = new.asked + sum(each.asked for each in old)
    spare = total - least - (new.asked - new.available)
    sizes = {each.name: each.asked for each in old}
    for each in old:
        sick = min(max(spare, 0), max(each.asked - each.available, 0))
        sizes[each.name] -= sick
        spare -= sick
    spare = min(spare, new.available + sum(each.available for each in old) - least)
    for each in old:
        gone = min(max(spare, 0), sizes[each.name])
        sizes[each.name] -= gone
        spare -= gone
    return {each.name: sizes[each.name] for each in old if sizes[each.name] != each.asked}
