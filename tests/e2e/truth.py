"""The truth of every status: each version of each MyResource, held against the Deployment of that moment."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from app.core.child_metadata import APPLIED
from metahook.simulator.objects import Json, Key
from tests.e2e.namespace import child
from tests.e2e.record import Record, Version
from tests.e2e.said import condition

RACE = 2.0
"""Seconds by which a status may be late: Metacontroller reads, asks, then writes, and a Pod may end in between."""


@dataclass(frozen=True)
class Written:
    """A status that was written, and the one before it."""

    key: Key
    before: Version
    after: Version

    def __str__(self) -> str:
        return f"{self.key.namespace}/{self.key.name} at {self.after.number}"


@dataclass(frozen=True)
class Untrue:
    """A status that says Ready, as many *seconds* after that was undone; infinitely many if it never was so."""

    where: str
    seconds: float

    @property
    def early(self) -> bool:
        """Whether it never was so."""
        return math.isinf(self.seconds)


@dataclass(frozen=True)
class Move:
    """A lastTransitionTime that moved although its condition kept its status."""

    where: str
    condition: str
    seconds: float
    """By how much it moved."""
    after: float
    """Seconds after the write that set the condition's status."""


def written(record: Record, since: float) -> list[Written]:
    """Return all statuses that were written *since* a time."""
    found = (
        Written(key, *pair) for key, versions in record.everything("MyResource").items() for pair in _pairs(versions)
    )
    return [each for each in found if each.after.at >= since]


def _pairs(versions: list[Version]) -> Iterator[tuple[Version, Version]]:
    for before, after in pairwise(versions):
        same = before.item["metadata"]["uid"] == after.item["metadata"]["uid"] and not after.deleted
        if same and before.item.get("status") != after.item.get("status"):
            yield before, after


def untrue(record: Record, statuses: list[Written]) -> list[Untrue]:
    """Return where Ready is True without a finished rollout of that generation."""
    found = []
    for each in statuses:
        if condition(each.after.item, "Ready").get("status") != "True":
            continue
        deployments = record.of("Deployment", each.key.namespace, child("Deployment", each.key.name))
        seen = [version for version in deployments if version.number < each.after.number]
        if not seen or not _finished(seen[-1], each.after.item):
            undone = [new.at for old, new in pairwise(seen) if _finished(old, each.after.item)]
            found.append(Untrue(str(each), each.after.at - max(undone, default=-math.inf)))
    return found


def _finished(deployment: Version, parent: Json) -> bool:
    """Tell whether *deployment* is that of the generation that the status is about, and fully rolled out."""
    item, generation = deployment.item, parent["status"]["observedGeneration"]
    metadata, status, replicas = item["metadata"], item.get("status", {}), item["spec"]["replicas"]
    counts = [status.get(name, 0) for name in ("replicas", "updatedReplicas", "availableReplicas")]
    mark = metadata.get("annotations", {}).get(APPLIED)
    return (
        not deployment.deleted
        and mark == f"{generation}-{parent['metadata']['uid'][:8]}"
        and status.get("observedGeneration", 0) >= metadata["generation"]
        and counts == [replicas] * 3
        and (generation != parent["metadata"]["generation"] or _as_asked(item, parent))
    )


def _as_asked(deployment: Json, parent: Json) -> bool:
    """Tell whether *deployment* has the image and the replicas of the spec."""
    images = [item["image"] for item in deployment["spec"]["template"]["spec"]["containers"] if item["name"] == "main"]
    spec = parent["spec"]
    return images == [spec["image"]] and deployment["spec"]["replicas"] == spec.get("replicas", 1)


def moves(statuses: list[Written]) -> list[Move]:
    """Return every move of a time without a change of its condition's status."""
    found: list[Move] = []
    begin: dict[tuple[Key, str], float] = {}
    for each in statuses:
        for new in each.after.item["status"].get("conditions", []):
            old, place = condition(each.before.item, new["type"]), (each.key, new["type"])
            if old.get("status") != new["status"]:
                begin[place] = each.after.at
            elif old["lastTransitionTime"] != new["lastTransitionTime"]:
                late = each.after.at - begin.get(place, -math.inf)
                found.append(Move(str(each), new["type"], abs(_seconds(new) - _seconds(old)), late))
    return found


def _seconds(found: Json) -> float:
    return datetime.fromisoformat(found["lastTransitionTime"]).timestamp()


def incoherent(statuses: list[Written]) -> list[str]:
    """Return where the parts of a status contradict each other."""
    return [str(each) for each in statuses if not _coherent(each.after.item["status"])]


def _coherent(status: Json) -> bool:
    if "conditions" not in status:  # nobody has looked at it yet
        return True
    holds = {item["type"]: item["status"] == "True" for item in status["conditions"]}
    marks = {name for name in ("Stalled", "Reconciling") if holds.get(name)}
    expected = {"Ready": set(), "Failed": {"Stalled"}, "Building": {"Reconciling"}, "Degraded": {"Reconciling"}}
    generations = {item["observedGeneration"] for item in status["conditions"]}
    return (
        holds["Ready"] == (status["state"] == "Ready")
        and marks == expected.get(status["state"], marks)
        and generations == {status["observedGeneration"]}
    )
