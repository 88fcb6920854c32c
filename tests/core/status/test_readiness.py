from typing import Any

import pytest

from app.core.readiness import RULES
from app.core.reasons import POD_REASONS, REASONS
from tests.requests.builders import EARLIER_TEXT, Json, condition, finished, my_resource, reason, rolled_out, sync

FAILED_PODS = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate"}
TOO_LATE = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
NO_REPLICA_SET = {"type": "Progressing", "status": "False", "reason": "ReplicaSetCreateError"}


def child_of(children: list[Json], kind: str) -> Json:
    return next(item for item in children if item["kind"] == kind)


def deployment(**status: Any) -> Json:
    (made,) = finished(my_resource(replicas=3))
    return {**made, "status": {**made["status"], **status}}


def with_spec(made: Json, **spec: Any) -> Json:
    """Return *made* with another spec, and as many Pods as it had if these are asked for."""
    changed = {**made, "spec": {**made["spec"], **spec}}
    return rolled_out(changed) if "replicas" in spec else changed


def ending() -> Json:
    """Return a Deployment that is scaled to zero, and still has Pods."""
    (made,) = finished(my_resource(replicas=0))
    return {**made, "status": {**made["status"], "replicas": 2, "updatedReplicas": 2, "availableReplicas": 2}}


def failing(failure: Json) -> Json:
    return deployment(conditions=[failure], updatedReplicas=1)


def one(parent: Json, **metadata: Any) -> Json:
    """Return the finished Deployment of *parent* with other *metadata*."""
    made = finished(parent)[0]
    return {**made, "metadata": {**made["metadata"], **metadata}}


THREE = my_resource(replicas=3)
BEFORE, AFTER = my_resource(replicas=3), my_resource(replicas=3, generation=2)
SERVED, BOTH = (my_resource(ports=[{"containerPort": port} for port in ports]) for ports in ((80,), (80, 81)))
LATER = {**SERVED, "metadata": {**SERVED["metadata"], "generation": 2}}
OTHERS = {"annotations": {"mygroup.example.com/applied": "1-00000000"}}
TOO_MANY = dict.fromkeys(("replicas", "updatedReplicas", "availableReplicas"), 7)
COUNTED: list[tuple[str, Json, str]] = [
    ("not looked at yet", {"observedGeneration": 0}, "RollingOut"),
    ("updates missing", {"updatedReplicas": 2}, "RollingOut"),
    ("no updates at all", {"updatedReplicas": None}, "RollingOut"),
    ("old ones left", {"replicas": 4}, "RollingOut"),
    ("not all available", {"availableReplicas": 2}, "RollingOut"),
    ("too many, though new", TOO_MANY, "RollingOut"),
    ("too late", {"conditions": [TOO_LATE], "updatedReplicas": 1}, "ProgressDeadlineExceeded"),
    ("Pods refused", {"conditions": [FAILED_PODS], "updatedReplicas": 0}, "ReplicaFailure"),
    ("ReplicaSet refused", {"conditions": [NO_REPLICA_SET], "updatedReplicas": 0}, "ReplicaFailure"),
    ("once refused", {"conditions": [{**FAILED_PODS, "status": "False"}], "updatedReplicas": 2}, "RollingOut"),
    ("an old verdict", {"conditions": [TOO_LATE], "observedGeneration": 0}, "RollingOut"),
    ("no conditions", {"conditions": None}, "Available"),
]


@pytest.mark.parametrize(
    ("parent", "children", "expected"),
    [
        pytest.param(THREE, finished(THREE), "Available", id="all"),
        pytest.param(THREE, [], "Building", id="nothing"),
        # The stamp of the generation alone tells that a field was removed.
        pytest.param(AFTER, finished(BEFORE), "Building", id="a Deployment of an earlier generation"),
        pytest.param(my_resource(), [one(my_resource(), **OTHERS)], "Building", id="the stamp of another parent"),
        pytest.param(THREE, [one(THREE, deletionTimestamp=EARLIER_TEXT)], "ChildTerminating", id="being deleted"),
        pytest.param(THREE, [with_spec(deployment(), replicas=7)], "Building", id="scaled by hand"),
        pytest.param(SERVED, finished(SERVED), "Available", id="a Service"),
        pytest.param(SERVED, finished(SERVED)[:1], "Building", id="no Service"),
        pytest.param(LATER, [finished(LATER)[0], finished(BOTH)[1]], "Building", id="a port that was removed"),
        pytest.param(my_resource(replicas=0), finished(my_resource(replicas=0)), "ScaledToZero", id="zero"),
        pytest.param(my_resource(replicas=0), [ending()], "RollingOut", id="zero, but Pods are left"),
        pytest.param(
            THREE, [with_spec(deployment(updatedReplicas=1), paused=True)], "Paused", id="paused in a rollout"
        ),
        pytest.param(THREE, [with_spec(deployment(), paused=True)], "Available", id="paused with nothing to do"),
        # A pause after the rollout is not blamed for Pods that are lost.
        pytest.param(THREE, [with_spec(deployment(availableReplicas=1), paused=True)], "RollingOut", id="lost since"),
        # The Deployment controller keeps what it said of a failure for as long as it is paused.
        *(
            pytest.param(
                THREE, [with_spec(failing(failure), paused=True)], "Paused", id=f"paused after {failure['reason']}"
            )
            for failure in (TOO_LATE, FAILED_PODS, NO_REPLICA_SET)
        ),
        *(pytest.param(THREE, [deployment(**status)], expected, id=name) for name, status, expected in COUNTED),
        pytest.param(THREE, [{**deployment(), "status": None}], "RollingOut", id="no status"),
    ],
)
def test_it_is_ready_when_all_children_are_as_desired(parent: Json, children: list[Json], expected: str) -> None:
    answer = sync(parent, *children)

    assert reason(answer) == expected
    is_ready = expected in ("Available", "ScaledToZero")
    assert condition(answer)["status"] == str(is_ready)
    assert (answer["status"]["state"] == "Ready") is is_ready
    assert (condition(answer, "Progressing")["reason"] == "DeploymentPaused") is (expected == "Paused")


@pytest.mark.parametrize("kind", ["Service", "Deployment"])
def test_what_is_no_longer_desired_keeps_it_from_being_ready_until_it_is_gone(kind: str) -> None:
    parent = my_resource()
    made = child_of(finished(my_resource(ports=[{"containerPort": 80}])), kind)
    stray = {**made, "metadata": {**made["metadata"], "name": "stray", "annotations": {}}}

    answer = sync(parent, *finished(parent), stray)

    assert condition(answer)["message"] == f"Waiting for {kind} stray to be deleted."
    assert answer["status"]["waiting"]["what"] == f"deletion of {kind} stray"
    assert condition(answer, "Progressing")["reason"] == "RolledOut"
    assert [child["metadata"]["name"] for child in answer["children"]] == ["web-deployment"]


@pytest.mark.parametrize(
    ("stopping", "said"),
    [
        pytest.param({"terminatingReplicas": 2}, ", and its last Pods are stopping.", id="two stop"),
        pytest.param({"terminatingReplicas": 0}, ", and no Pods are running.", id="none is left"),
        pytest.param({}, ". Pods that are still stopping are not counted.", id="an older Kubernetes"),
    ],
)
def test_scaled_to_zero_the_message_says_whether_pods_are_still_stopping(stopping: Json, said: str) -> None:
    parent = my_resource(replicas=0)
    (made,) = finished(parent)

    answer = sync(parent, {**made, "status": {**made["status"], **stopping}})

    assert condition(answer)["message"] == f"The MyResource is scaled to zero{said}"
    assert condition(answer)["status"] == "True"


@pytest.mark.parametrize(
    ("before", "state", "expected"),
    [
        pytest.param({"readyGeneration": 1}, "Degraded", "ReplicasUnavailable", id="it was ready"),
        pytest.param({"readyGeneration": 0}, "Building", "RollingOut", id="another generation was ready"),
        pytest.param({"readyGeneration": -1}, "Building", "RollingOut", id="no generation"),
        pytest.param({"readyGeneration": "1"}, "Building", "RollingOut", id="no number"),
        pytest.param({"readyGeneration": 2**63}, "Building", "RollingOut", id="more than the CRD allows"),
        pytest.param(None, "Building", "RollingOut", id="the status was lost"),
    ],
)
def test_losing_pods_degrades_what_was_ready_in_this_generation(before: Json | None, state: str, expected: str) -> None:
    answer = sync(my_resource(replicas=3, status=before), deployment(availableReplicas=1))

    assert (answer["status"]["state"], reason(answer)) == (state, expected)
    assert state == "Building" or answer["status"]["readyGeneration"] == 1


@pytest.mark.parametrize(
    ("fields", "expected"),
    [({"spec": {"image": ""}}, "InvalidSpec"), ({"deleting": True}, "Terminating"), ({"generation": 0}, "Building")],
    ids=["invalid", "deleting", "stale"],
)
def test_a_child_is_undesired_only_where_the_spec_decides(fields: Json, expected: str) -> None:
    service = child_of(finished(my_resource(ports=[{"containerPort": 80}])), "Service")

    answer = sync(my_resource(**fields), *finished(my_resource()), service)

    assert reason(answer) == expected
    assert "deletion" not in answer["status"].get("waiting", {}).get("what", "")


def test_every_reason_has_a_rule_or_comes_from_pods_and_every_rule_has_a_reason_of_the_table() -> None:
    assert [found.name for found, _ in RULES if found in POD_REASONS] == []
    assert {found.name for found in (*POD_REASONS, *(found for found, _ in RULES))} == set(REASONS)


def test_pods_that_are_refused_are_stalled_only_when_the_deadline_has_passed() -> None:
    """A surge over a quota ends by itself; past the deadline there are still no Pods to describe."""
    answers = [
        sync(my_resource(replicas=3), deployment(conditions=conditions, updatedReplicas=0))
        for conditions in ([FAILED_PODS], [FAILED_PODS, TOO_LATE])
    ]

    assert [reason(answer) for answer in answers] == ["ReplicaFailure", "ReplicaFailure"]
    assert [answer["status"]["state"] for answer in answers] == ["Building", "Failed"]
