"""A trace: the requests to the hook in one step of a scenario, without what depends on timing.

Timing decides how many syncs a rollout has, which of its short states a sync observes, and whether the event of the
Deployment or of the Service comes first. So each has its own trace, equal consecutive entries count once, and of a
rollout only the end counts.
"""

import json
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from app.core.child_metadata import GENERATION_STAMP
from metahook.simulator.history import Call
from metahook.simulator.objects import Json
from tests.e2e.statuses import condition


class Exchange(NamedTuple):
    """A request and its response."""

    hook: str
    request: Json
    answer: Json


def recorded(files: Iterable[Json]) -> list[Exchange]:
    """Return the exchanges in the files of ``myresource record``."""
    return [Exchange(file["path"].strip("/"), file["request"], file["response"]) for file in files]


def simulated(calls: Iterable[Call]) -> list[Exchange]:
    """Return the exchanges of a simulated history."""
    return [Exchange(call.hook, json.loads(call.request), json.loads(call.response)) for call in calls]


TRANSIENT = ("RollingOut", "ReplicasUnavailable", "Evicted")
"""Reasons during a rollout or the replacement of a Pod, which a sync may or may not observe."""


def traces(exchanges: list[Exchange]) -> dict[str, list[str]]:
    """Return the requests and responses of a step, and its end."""
    syncs = [each for each in exchanges if each.hook == "sync"]
    customized = [each for each in exchanges if each.hook == "customize"]
    return {
        "customize": _once(f"{_generation(each)}" for each in customized),
        "Deployment": _once(f"{_generation(each)}: {_seen(each.request, 'Deployment.apps/v1')}" for each in syncs),
        "Service": _once(f"{_generation(each)}: {_seen(each.request, 'Service.v1')}" for each in syncs),
        "reasons": sorted({_reason(each.answer) for each in syncs} - {*TRANSIENT}),
        "end": [line for each in syncs[-1:] for line in (_reason(each.answer), _foreign(each), _rollout(each.request))],
    }


def by_object(writes: Iterable[str]) -> dict[str, list[str]]:
    """Return the verbs of the writes to each child, in order."""
    named = [(*write.split(" ")[:1], " ".join(write.split(" ")[1:])) for write in writes]
    return {name: [verb for verb, other in named if other == name] for name in sorted({name for _, name in named})}


def _once(entries: Iterable[str]) -> list[str]:
    return [entry for entry, _ in groupby(entries)]


def _generation(exchange: Exchange) -> int:
    found: int = exchange.request["parent"]["metadata"]["generation"]
    return found


def _seen(request: Json, group: str) -> str:
    """Return the parent generation that the observed child in *group* was applied for."""
    marks = [
        item["metadata"].get("annotations", {}).get(GENERATION_STAMP, "unmarked")
        for item in request["children"][group].values()
    ]
    return ", ".join(mark.partition("-")[0] for mark in marks) or "none"


def _rollout(request: Json) -> str:
    """Return the progress of the observed Deployment."""
    for item in request["children"]["Deployment.apps/v1"].values():
        status, replicas = item.get("status", {}), item["spec"]["replicas"]
        counts = [status.get(name, 0) for name in ("replicas", "updatedReplicas", "availableReplicas")]
        seen = status.get("observedGeneration") == item["metadata"]["generation"]
        return "rolled out" if seen and counts == [replicas] * 3 else "not rolled out"
    return "no Deployment"


def _reason(answer: Json) -> str:
    found: str = condition(answer, "Ready")["reason"]
    return found


def _foreign(exchange: Exchange) -> str:
    """Return which fields others set; without the command, which names the namespace."""
    found: str = condition(exchange.answer, "ForeignFields").get("message", "")
    return found.partition(" Set them ")[0]
