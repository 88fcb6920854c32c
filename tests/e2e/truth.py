"""Checks every status: compares each version of each MyResource with the Deployment at that time."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from app.core.child_metadata import GENERATION_STAMP
from metahook.simulator.controllers.pod_status import is_ready
from metahook.simulator.objects import Json, Key, to_json
from tests.e2e.namespace import child
from tests.e2e.record import Record, Version
from tests.e2e.statuses import condition
from tests.plans.times import SHOWING, Times
from tests.properties.state_transitions import is_possible

RACE = 2.0
"""Seconds by which a status may be late: a Pod may stop while Metacontroller calls the hook and writes the status."""


@dataclass(frozen=True)
class Written:
    """A written status, and the one before it."""

    key: Key
    before: Version
    after: Version

    def __str__(self) -> str:
        return f"{self.key.namespace}/{self.key.name} at {self.after.number}"


@dataclass(frozen=True)
class Untrue:
    """A status with a wrong Ready. *seconds*: how long ago it was right; infinite if it never was."""

    where: str
    seconds: float

    @property
    def early(self) -> bool:
        """Whether the status was never right."""
        return math.isinf(self.seconds)


@dataclass(frozen=True)
class Move:
    """A lastTransitionTime that changed although the status of its condition did not."""

    where: str
    condition: str
    after: float
    """Seconds after the write that set the condition's status."""


def written(record: Record, since: float, namespace: str = "") -> list[Written]:
    """Return all statuses written after *since*, in *namespace* or in all."""
    parents = record.everything("MyResource", namespace)
    found = (Written(key, *pair) for key, versions in parents.items() for pair in _pairs(versions))
    return [each for each in found if each.after.at >= since]


def _pairs(versions: list[Version]) -> Iterator[tuple[Version, Version]]:
    for before, after in pairwise(versions):
        same = before.item["metadata"]["uid"] == after.item["metadata"]["uid"] and not after.deleted
        if same and before.item.get("status") != after.item.get("status"):
            yield before, after


def untrue(record: Record, statuses: list[Written]) -> list[Untrue]:
    """Return the statuses in which Ready is True without a complete rollout of that generation."""
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


def too_early(record: Record, statuses: list[Written]) -> list[str]:
    """Return the statuses in which Ready is True before any Pod of the Deployment's template was ready."""
    ready = (each for each in statuses if condition(each.after.item, "Ready").get("status") == "True")
    return [str(each) for each in ready if not _has_run(record, each)]


def _has_run(record: Record, each: Written) -> bool:
    deployments = record.of("Deployment", each.key.namespace, child("Deployment", each.key.name))
    template = [version for version in deployments if version.number < each.after.number][-1].item["spec"]["template"]
    pods = (version for versions in record.everything("Pod", each.key.namespace).values() for version in versions)
    return any(pod.number < each.after.number and is_ready(pod.item) and _is_of(pod.item, template) for pod in pods)


def _is_of(pod: Json, template: Json) -> bool:
    """Return whether *pod* has the labels and the annotations of *template*, and its images."""
    ours, its = (
        {**each["metadata"].get("labels", {}), **each["metadata"].get("annotations", {})} for each in (template, pod)
    )
    images, running = ({item["image"] for item in each["spec"]["containers"]} for each in (template, pod))
    return ours.items() <= its.items() and images <= running


def _finished(deployment: Version, parent: Json) -> bool:
    """Return whether *deployment* belongs to the generation of the status and is fully rolled out."""
    item, generation = deployment.item, parent["status"]["observedGeneration"]
    metadata, status, replicas = item["metadata"], item.get("status", {}), item["spec"]["replicas"]
    counts = [status.get(name, 0) for name in ("replicas", "updatedReplicas", "availableReplicas")]
    is_complete = status.get("observedGeneration", 0) >= metadata["generation"] and counts == [replicas] * 3
    is_asleep = "replicas" in parent["status"].get("schedule", {})
    if not is_asleep and (autoscaling := parent["spec"].get("autoscaling")):  # Pods may start or stop, but none is old
        is_complete = counts[0] == counts[1] and counts[2] >= autoscaling.get("minReplicas", 1)
    mark = metadata.get("annotations", {}).get(GENERATION_STAMP)
    return (
        not deployment.deleted
        and mark == f"{generation}-{parent['metadata']['uid'][:8]}"
        and is_complete
        and (generation != parent["metadata"]["generation"] or _matches_spec(item, parent))
    )


def _matches_spec(deployment: Json, parent: Json) -> bool:
    """Return whether *deployment* has the image and the replicas of the spec."""
    images = [item["image"] for item in deployment["spec"]["template"]["spec"]["containers"] if item["name"] == "main"]
    spec = parent["spec"]
    schedule = parent["status"].get("schedule", {})
    least = most = schedule.get("replicas", spec.get("replicas", 1))
    if "replicas" not in schedule and (autoscaling := spec.get("autoscaling")):
        least, most = autoscaling.get("minReplicas", 1), autoscaling["maxReplicas"]
    return images == [spec["image"]] and least <= deployment["spec"]["replicas"] <= most


def times(record: Record, since: float, exchanges: Iterable[Json] = ()) -> Times:
    """Return the judge of the transition times in all statuses written after *since*.

    In the *exchanges* with the hook is the request to which a status was the response.
    """
    judge, last, asked = Times(), dict[str, Json](), dict[tuple[str, str], Json]()
    for exchange in exchanges:  # the first request with a response is the one whose status was written
        parent, status = exchange["request"]["parent"], exchange["response"].get("status", {})
        asked.setdefault((parent["metadata"]["uid"], to_json(status.get("conditions"))), parent)
    every = ((key, version) for key, versions in record.everything().items() for version in versions)
    for key, version in sorted(every, key=lambda each: each[1].number):
        uid = version.item["metadata"]["uid"]
        if version.at >= since and not version.deleted and key.kind in SHOWING:
            stored_at = datetime.fromisoformat(version.status_stored_at or "1970-01-01T00:00:00Z")
            if parent := asked.get((uid, to_json(version.item.get("status", {}).get("conditions")))):
                judge.asked(key, parent)
            judge.stored(key, last.get(uid), version.item, stored_at)
            last[uid] = version.item
    return judge


def moves(statuses: list[Written], record: Record | None = None) -> list[Move]:
    """Return every change of a lastTransitionTime without a change of the condition's status.

    With a *record*, those are left out in which the Deployment's own condition changed and changed back: its Pods can
    be available again before Metacontroller calls the hook, and the time is then that of the Deployment.
    """
    found: list[Move] = []
    begin: dict[tuple[Key, str], float] = {}
    for each in statuses:
        for new in each.after.item["status"].get("conditions", []):
            old, place = condition(each.before.item, new["type"]), (each.key, new["type"])
            if old.get("status") != new["status"]:
                begin[place] = each.after.at
            elif old["lastTransitionTime"] != new["lastTransitionTime"] and not (
                record and _changed_back(record, each.key, new)
            ):
                late = each.after.at - begin.get(place, -math.inf)
                found.append(Move(str(each), new["type"], late))
    return found


def _changed_back(record: Record, key: Key, new: Json) -> bool:
    """Return whether the Deployment's condition had another status than *new*, until the time of *new*."""
    versions = record.of("Deployment", key.namespace, child("Deployment", key.name))
    found = (condition(version.item, new["type"]) for version in versions)
    return any(
        each["status"] != new["status"] and 0 <= _seconds(new) - _seconds(each) <= RACE for each in found if each
    )


def backward(statuses: list[Written]) -> list[Move]:
    """Return every lastTransitionTime that is earlier than the one before, whether or not the status changed.

    Times are whole seconds of two clocks, those of the hook and of the Deployment controller, so at a change of the
    status the new one may be that of the second before.
    """
    found = []
    for each in statuses:
        for new in each.after.item["status"].get("conditions", []):
            old = condition(each.before.item, new["type"])
            if old and _seconds(new) < _seconds(old) - (new["status"] != old["status"]):
                found.append(Move(str(each), new["type"], 0))
    return found


def _seconds(found: Json) -> float:
    return datetime.fromisoformat(found["lastTransitionTime"]).timestamp()


def incoherent(statuses: list[Written]) -> list[str]:
    """Return the statuses whose parts contradict each other."""
    return [str(each) for each in statuses if not _coherent(each.after.item["status"])]


def _coherent(status: Json) -> bool:
    if "conditions" not in status:  # the hook has not set it yet
        return True
    holds = {item["type"]: item["status"] == "True" for item in status["conditions"]}
    marks = {name for name in ("Stalled", "Reconciling") if holds.get(name)}
    expected = {"Ready": set(), "Failed": {"Stalled"}, "Building": {"Reconciling"}, "Degraded": {"Reconciling"}}
    generations = {item["observedGeneration"] for item in status["conditions"]}
    return (
        holds["Ready"] == (status["state"] in ("Ready", "Sleeping"))
        and marks == expected.get(status["state"], marks)
        and generations == {status["observedGeneration"]}
    )


def impossible(statuses: list[Written]) -> list[str]:
    """Return the statuses whose state can't follow the one before."""
    pairs = [(each, each.before.item.get("status", {}), each.after.item["status"]) for each in statuses]
    return [
        f"{each}: {before.get('state')} to {after['state']}"
        for each, before, after in pairs
        if "state" in after and not is_possible(before, after)
    ]
