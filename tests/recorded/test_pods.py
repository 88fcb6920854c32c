"""What real kubelets report of Pods in trouble, and that the status follows the cause and not each flap."""

import itertools

import pytest

from app.core.reasons import POD_REASONS
from tests.recorded.pods import NAMES, Replay
from tests.requests.builders import condition

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
    "crash-loop": "keeps exiting with code 3. See: kubectl logs",
    "evicted-again-and-again": "because volume d exceeded its size limit: raise its emptyDir.sizeLimit",
    "finished": "keeps exiting with code 0 (it completed). See: kubectl logs",
    "liveness-exit-0": "code 0 (it completed, or spec.livenessProbe failed). See: kubectl describe pods",
    "liveness-killed": "SIGKILL, perhaps because spec.livenessProbe failed). See: kubectl describe pods",
    "never-pulled": "needs an image that is not on its node, and its imagePullPolicy is Never",
    "no-command": "can't be started: check spec.command. See: kubectl describe pods",
    "no-configmap": "ConfigMap nothere does not exist",
    "no-configmap-from": "ConfigMap nothere does not exist",
    "out-of-memory": "was OOMKilled at its 32Mi limit: raise spec.memory.",
    "startup-failing": "perhaps because spec.startupProbe failed). See: kubectl describe pods",
}
"""What the last message has in it."""

MOST = 8
"""Status writes."""


NOT_RECORDED = {"PodRejected", "ProbeFailing"}
"""Reasons that Pods give of which there is no recording."""


def test_every_recording_is_looked_at() -> None:
    assert list(REASONS) == NAMES


def test_each_reason_that_pods_give_was_recorded() -> None:
    recorded = {reason for reasons in REASONS.values() for reason in reasons}

    assert {reason.name for reason in POD_REASONS} - recorded == NOT_RECORDED


@pytest.mark.parametrize("name", NAMES)
def test_the_reasons_are_those_of_the_causes_one_after_the_other(name: str) -> None:
    assert in_turn(Replay(name)) == REASONS[name]


def in_turn(replay: Replay) -> list[str]:
    """Return the reasons of a replay, without those that lasted for less than a tenth of a second."""
    said = [*replay.said, None]
    long = [one.reason for one, two in itertools.pairwise(said) if one and (two is None or two.at - one.at >= 0.1)]
    return [reason for number, reason in enumerate(long) if not number or reason != long[number - 1]]


@pytest.mark.parametrize("name", MESSAGES)
def test_the_message_has_the_cause_and_the_remedy(name: str) -> None:
    assert MESSAGES[name] in Replay(name).said[-1].message


@pytest.mark.parametrize("name", NAMES)
def test_few_statuses_are_written_however_often_pods_change(name: str) -> None:
    assert len(Replay(name).statuses) <= MOST


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
    replay = Replay("node-away")

    assert "ProbeFailing" not in replay.reasons
    assert replay.said[-1].reason == "Available"
