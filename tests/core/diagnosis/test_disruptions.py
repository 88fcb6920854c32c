"""Disruptions: what evicts, preempts, rejects or loses a Pod, and for how long that is the cause."""

import re

import pytest

from tests.requests.builders import Json, condition
from tests.requests.pods import (
    HEALTHY,
    LOST,
    UNSCHEDULABLE,
    ago,
    answered,
    container,
    deleted,
    failed,
    pod,
    running,
    said,
)

READY = [{"type": kind, "status": "True", "lastTransitionTime": ago(40)} for kind in ("Ready", "ContainersReady")]
VOLUME = {"volumes": [{"name": "d", "emptyDir": {"sizeLimit": "4Mi"}}]}
FULL = 'Usage of EmptyDir volume "d" exceeds the limit "4Mi". '
OVER = 'Container main exceeded its local ephemeral storage limit "1Gi". '
LIMIT = {"resources": {"limits": {"ephemeral-storage": "1Gi"}}}


def fresh(seconds: float, *, ready: bool = True) -> Json:
    """Return a Pod that was created so many seconds ago."""
    seen = {"phase": "Running", "containerStatuses": [HEALTHY], "conditions": READY if ready else []}
    return pod(name=f"fresh-{seconds}", made=ago(seconds), status=seen)


def evicted(seconds: float, *, lived: float = 60, message: str = FULL) -> Json:
    """Return a Pod that was evicted so many *seconds* ago, after it *lived* for a while."""
    return failed("Evicted", message, seconds=seconds, lived=lived)


WHY = "A Pod was evicted because "
ALL = "Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. "
MEMORY = "The node was low on resource: memory. Threshold"
DISK = "The node was low on resource: ephemeral-storage. Container main was using 3Gi"
FULL_NODE = "the node does not have enough free resources"
HIGH: Json = {"priorityClassName": "high"}
TOLD: dict[str, tuple[Json, Json, str, str]] = {
    "volume": (evicted(5), VOLUME, "Evicted", "volume d exceeded its size limit: raise its emptyDir.sizeLimit"),
    "another's": (evicted(5), {}, "Evicted", "limit: check the sidecar injector or policy that adds it."),
    "limit": (evicted(5, message=OVER), LIMIT, "Evicted", "limit: raise spec.resources.limits.ephemeral-storage"),
    "no own limit": (evicted(5, message=OVER), {}, "Evicted", "limit: set spec.resources.limits.ephemeral-storage"),
    "all containers": (evicted(5, message=ALL), LIMIT, "Evicted", "ephemeral-storage limit: raise"),
    "memory": (evicted(5, message=MEMORY), {}, "Evicted", f"{WHY}its node is low on memory"),
    "disk": (evicted(5, message=DISK), {}, "Evicted", f"{WHY}its node is low on disk space"),
    "other words": (evicted(5, message="The node had condition: [DiskPressure]. "), {}, "Evicted", "no longer run it"),
    "no words": (evicted(5, message=""), {}, "Evicted", f"{WHY}its node could no longer run it"),
    "shutdown": (failed("Terminated"), {}, "Evicted", "its node was shut down"),
    "drained": (deleted("EvictionByEvictionAPI"), {}, "Evicted", "such as kubectl drain"),
    "taint": (deleted("DeletionByTaintManager"), {}, "Evicted", "has a taint"),
    "out of CPU": (failed("OutOfcpu"), {}, "PodRejected", FULL_NODE),
    "out of Pods": (failed("OutOfpods"), {}, "PodRejected", FULL_NODE),
    "labels changed": (failed("NodeAffinity"), {}, "PodRejected", "no longer matches the labels"),
    "critical Pod": (failed("Preempting"), {}, "Preempted", "set spec.priorityClassName"),
    "preempted": (deleted("PreemptionByScheduler"), {}, "Preempted", "set spec.priorityClassName"),
    "of a class": (deleted("PreemptionByScheduler"), HIGH, "Preempted", "to a class with a higher priority"),
    "node lost": (LOST, {}, "NodeLost", "kubectl get nodes"),
}


@pytest.mark.parametrize(("seen", "spec", "expected", "words"), TOLD.values(), ids=TOLD)
def test_what_befalls_a_pod_is_told_in_the_words_of_the_spec(seen: Json, spec: Json, expected: str, words: str) -> None:
    reason, message = said(seen, **spec)

    assert reason == expected
    assert words in message
    assert not re.search("[{}]", message)


UNREADY = fresh(300, ready=False)
GATED = [{"type": "Ready", "status": "False", "reason": "ReadinessGatesNotReady"}, READY[1]]
CRASHED = container(state=running(), last={"terminated": {"exitCode": 1}}, restarts=3)
TIMELESS = pod(name="timeless", status=failed("Preempting")["status"])
del TIMELESS["metadata"]["creationTimestamp"]


@pytest.mark.parametrize(
    ("pods", "expected"),
    [
        pytest.param([failed("Evicted", mark="old", lived=9000), UNREADY], "RollingOut", id="of an old ReplicaSet"),
        pytest.param([failed("Evicted", seconds=600), UNREADY], "RollingOut", id="ten minutes ago"),
        pytest.param([failed("DeadlineExceeded"), UNREADY], "RollingOut", id="an unknown reason"),
        pytest.param([failed(None), UNREADY], "RollingOut", id="no reason"),
        pytest.param([deleted("DeletionByPodGC"), UNREADY], "RollingOut", id="deleted for another reason"),
        pytest.param([deleted(None), UNREADY], "RollingOut", id="deleted by hand"),
        pytest.param([TIMELESS, UNREADY], "RollingOut", id="without a creation time"),
        pytest.param(
            [pod(status={"phase": "Running", "containerStatuses": [HEALTHY], "conditions": GATED})],
            "RollingOut",
            id="a readiness gate is no lost node",
        ),
        pytest.param([evicted(50), fresh(50)], "RollingOut", id="it is replaced"),
        pytest.param([evicted(50), fresh(50, ready=False)], "Evicted", id="its replacement is not ready"),
        pytest.param(
            [evicted(50), evicted(40), fresh(50), fresh(50, ready=False)], "Evicted", id="one of two is replaced"
        ),
        pytest.param([deleted("PreemptionByScheduler"), UNSCHEDULABLE], "Preempted", id="before no node fits"),
        pytest.param([evicted(5), pod(CRASHED, name="b")], "CrashLooping", id="a crash before an eviction"),
    ],
)
def test_a_disruption_is_the_cause_until_the_pod_is_replaced(pods: list[Json], expected: str) -> None:
    assert said(*pods)[0] == expected


COMPLETE = {"replicas": 1, "updatedReplicas": 1, "availableReplicas": 1}
AVAILABLE = {"conditions": [{"type": "Available", "status": "True"}]}


@pytest.mark.parametrize(
    ("pods", "expected"),
    [
        pytest.param([evicted(100), fresh(100)], "Available", id="one eviction"),
        pytest.param([evicted(100, lived=0), fresh(100)], "Available", id="one, as soon as it was created"),
        pytest.param([evicted(100), evicted(95, lived=500), fresh(95)], "Available", id="two at once"),
        pytest.param([evicted(200), evicted(100, lived=100), fresh(100)], "Evicted", id="a replacement, too"),
        pytest.param([evicted(700), evicted(590, lived=110), fresh(590)], "Evicted", id="nearly ten minutes ago"),
        pytest.param([evicted(800), evicted(600, lived=200), fresh(600)], "Available", id="ten minutes ago"),
        pytest.param([evicted(700), evicted(50, lived=650), fresh(50)], "Available", id="far apart"),
    ],
)
def test_a_replacement_that_is_evicted_too_makes_the_next_one_unstable(pods: list[Json], expected: str) -> None:
    answer = answered(*pods, status={**COMPLETE, **AVAILABLE})

    assert condition(answer)["reason"] == expected
    assert condition(answer, "Available")["status"] == ("True" if expected == "Available" else "False")


def test_a_sync_is_asked_for_when_an_eviction_is_forgotten() -> None:
    series = answered(evicted(200), evicted(100, lived=100), fresh(100), status=COMPLETE)
    single = answered(deleted("EvictionByEvictionAPI"), fresh(3), minReadySeconds=900, progressDeadlineSeconds=3000)

    assert [condition(answer)["reason"] for answer in (series, single)] == ["Evicted", "Evicted"]
    assert [answer["resyncAfterSeconds"] for answer in (series, single)] == [500, 595]


def test_pods_that_failed_count_as_replicas_until_they_are_replaced() -> None:
    complete = [{"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}]
    before = answered(evicted(1), status={"replicas": 0, "updatedReplicas": 0, "conditions": complete})
    after = answered(evicted(1), fresh(1), status={"replicas": 1})

    assert [answer["status"]["replicas"] for answer in (before, after)] == [1, 1]


def test_only_the_replacements_are_unstable() -> None:
    """Two of three are as they were: with one that may be missing, that is enough."""
    well = [pod(name=name, status=fresh(9)["status"], made=ago(9000)) for name in "ab"]
    several = {"replicas": 3, "updatedReplicas": 3, "availableReplicas": 3, **AVAILABLE}
    series = [evicted(200), evicted(100, lived=100), fresh(100)]
    one_may_be_missing = {"rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}

    for strategy, expected in ((None, "False"), (one_may_be_missing, "True")):
        spec = {"replicas": 3, **({"strategy": strategy} if strategy else {})}
        answer = answered(*well, *series, status=several, **spec)
        assert condition(answer)["reason"] == "Evicted"
        assert condition(answer, "Available")["status"] == expected


@pytest.mark.parametrize(("count", "expected"), [(2, "Available"), (3, "PodRejected")])
def test_siblings_that_a_kubelet_rejects_at_once_are_no_series(count: int, expected: str) -> None:
    """A rejected Pod does not say when: that two of two were rejected does not mean that a replacement was."""
    status = {"phase": "Failed", "reason": "OutOfcpu"}
    rejected = [pod(name=f"rejected{number}", made=ago(100), status=status) for number in range(count)]
    well = [pod(name=name, status=fresh(90)["status"], made=ago(98)) for name in "ab"]
    complete = {"replicas": 2, "updatedReplicas": 2, "availableReplicas": 2, **AVAILABLE}

    answer = answered(*rejected, *well, status=complete, replicas=2)

    assert condition(answer)["reason"] == expected
