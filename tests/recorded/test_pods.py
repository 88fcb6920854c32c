"""What real kubelets report of Pods in trouble, and that the status follows the cause and not each flap.

Each recording of tests/data/pods.json is one Deployment of one MyResource on a one-node cluster (Kubernetes 1.36.3,
containerd), made by hand: the spec, and what was seen in turn of its Pods and of the Deployment's status, each so many
seconds after the beginning. Only the fields that matter are kept. Times are moved to 2026-01-31T12:00:00Z, and names
to web.

- Most recordings begin as the Pod before is deleted by hand, so the Deployment is available at first.
- crash-loop and finished show the kubelet's pattern without a probe: started again at once, then after 10 s, 20 s, 40 s
  and so on; the container is ready whenever it runs; a container that ended stays terminated until shortly before its
  next start.
- node-away and node-lost: after 45 s without a kubelet, others set the condition Ready to False and nothing else. When
  the kubelet is back, containers with a probe are not ready until it has asked.
- evicted-again-and-again: an evicted Pod has no condition DisruptionTarget; the time is that of its condition Ready.
"""

import itertools
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import NamedTuple

import pytest

from app.core.reasons import POD_REASONS
from tests.docs.documents import ROOT
from tests.requests.builders import NOW, Json, condition, finished, my_resource, sync

RECORDINGS: Json = json.loads((ROOT / "tests/data/pods.json").read_text())

OK, LESS, ROLLS = "Available", "ReplicasUnavailable", "RollingOut"

REASONS = {
    "as-root": [ROLLS, "ContainerConfigError"],
    "crash-loop": [LESS, OK, LESS, OK, "CrashLooping"],
    "drained": [ROLLS, OK, "Evicted", OK],
    "evicted-again-and-again": [OK, "Evicted"],
    "finished": [LESS, OK, LESS, OK, "CrashLooping"],
    "liveness-exit-0": [LESS, OK, "CrashLooping"],
    "liveness-killed": [LESS, OK, "CrashLooping"],
    "never-pulled": [ROLLS, "ImagePullFailed"],
    "no-command": [ROLLS, "RunContainerError"],
    "no-configmap": [ROLLS, "ContainerConfigError"],
    "no-configmap-from": [ROLLS, "ContainerConfigError"],
    "node-away": [OK, "NodeLost", LESS, OK],
    "node-lost": [OK, "NodeLost", "Evicted", OK],
    "out-of-memory": [LESS, OK, "OOMKilled"],
    "preempted": [ROLLS, OK, "Preempted", "Unschedulable"],
    "single-restart": [OK, LESS, OK, LESS, OK],
    "startup-failing": [ROLLS, "CrashLooping"],
}
"""The reasons of each recording in turn. The first ones are of the Pod that was deleted for the recording to begin."""

MESSAGES = {
    "as-root": "set spec.runAsUser to the ID of another user",
    "evicted-again-and-again": "because volume d exceeded its size limit: raise its emptyDir.sizeLimit",
    "no-configmap": "ConfigMap nothere does not exist",
    "no-configmap-from": "ConfigMap nothere does not exist",
}
"""What the last message has in it, where the words of a kubelet decide about it."""

MOST = 8
"""Status writes."""


NOT_RECORDED = {"PodRejected", "ProbeFailing"}
"""Reasons that Pods give of which there is no recording."""


class Said(NamedTuple):
    """What a status says from a moment on, so many seconds after the beginning."""

    at: float
    state: str
    reason: str
    message: str


class Replay:
    """A recording, as the hook sees it step by step; ``statuses`` are those that are written."""

    def __init__(self, name: str) -> None:
        self._recording = RECORDINGS[name]
        self._parent = my_resource(spec=self._recording["spec"], status={"readyGeneration": 1})
        (self._deployment,) = finished(self._parent)
        self._pods: dict[str, Json] = {}
        self._again: float | None = None
        self.statuses: list[tuple[float, Json]] = []
        for at, step in self._moments():
            self._take(step)
            self._sync(at)

    def _moments(self) -> Iterator[tuple[float, Json]]:
        """Yield the steps, and in between them what the hook asked to be called again for."""
        for step in self._recording["steps"]:
            while self._again is not None and self._again < step["at"]:
                yield self._again, {}
            yield step["at"], step

    def _take(self, step: Json) -> None:
        template = self._deployment["spec"]["template"]
        if "deployment" in step:
            self._deployment = {**self._deployment, "status": step["deployment"]}
        if "deleted" in step:
            self._pods.pop(step["deleted"], None)
        if "pod" in step:
            metadata = {**step["pod"]["metadata"], "namespace": "default"}
            labels = {**template["metadata"]["labels"], **metadata["labels"]}
            self._pods[metadata["name"]] = {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {**metadata, "labels": labels},
                "spec": template["spec"],
                "status": step["pod"]["status"],
            }

    def _sync(self, at: float) -> None:
        related = {"Pod.v1": dict(self._pods)}
        answer = sync(self._parent, self._deployment, related=related, now=NOW + timedelta(seconds=at))
        wait = answer.get("resyncAfterSeconds")
        self._again = None if wait is None else at + wait
        if answer["status"] != self._parent.get("status"):
            self._parent = {**self._parent, "status": answer["status"]}
            self.statuses.append((at, answer["status"]))

    @property
    def said(self) -> list[Said]:
        """What the condition Ready said in turn."""
        seen = [(at, status["state"], condition({"status": status})) for at, status in self.statuses]
        every = [Said(at, state, ready["reason"], ready["message"]) for at, state, ready in seen]
        return [each for number, each in enumerate(every) if not number or each[1:] != every[number - 1][1:]]


def test_every_recording_is_looked_at() -> None:
    assert REASONS.keys() == RECORDINGS.keys()


def test_each_reason_that_pods_give_was_recorded() -> None:
    recorded = {reason for reasons in REASONS.values() for reason in reasons}

    assert {reason.name for reason in POD_REASONS} - recorded == NOT_RECORDED


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_reasons_are_those_of_the_causes_in_turn_and_few_statuses_are_written(name: str) -> None:
    replay = Replay(name)

    assert in_turn(replay) == REASONS[name]
    assert MESSAGES.get(name, "") in replay.said[-1].message
    assert len(replay.statuses) <= MOST


def in_turn(replay: Replay) -> list[str]:
    """Return the reasons of a replay, without those that lasted for less than a tenth of a second."""
    said = [*replay.said, None]
    long = [one.reason for one, two in itertools.pairwise(said) if one and (two is None or two.at - one.at >= 0.1)]
    return [reason for number, reason in enumerate(long) if not number or reason != long[number - 1]]


@pytest.mark.parametrize("name", ["crash-loop", "finished", "liveness-exit-0", "liveness-killed", "out-of-memory"])
def test_no_condition_and_no_count_follows_a_loop(name: str) -> None:
    """The status stays the same from the second failure on, though the Pod is ready and available now and then."""
    replay = Replay(name)
    last_at, last = replay.statuses[-1]

    assert last_at < 15
    assert (last["state"], last["replicas"]) == ("Degraded", 1)
    assert [condition({"status": last}, kind)["status"] for kind in ("Ready", "Available")] == ["False", "False"]


def test_a_single_restart_costs_less_than_ten_seconds() -> None:
    said = Replay("single-restart").said
    down = [two.at - one.at for one, two in itertools.pairwise(said) if one.reason == LESS]

    assert down
    assert max(down) < 10


def test_a_probe_is_not_blamed_when_the_kubelet_is_back() -> None:
    said = Replay("node-away").said

    assert "ProbeFailing" not in {each.reason for each in said}
    assert said[-1].reason == "Available"
