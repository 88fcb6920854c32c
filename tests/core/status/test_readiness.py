from typing import Any

import pytest

from app.core.reasons import POD_REASONS, REASONS
from app.core.status.readiness import RULES
from tests.requests.builders import EARLIER_TEXT, condition, finished, my_resource, reason, rolled_out, sync

Json = dict[str, Any]

FAILED_PODS = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate"}
TOO_LATE = {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}
NO_REPLICA_SET = {"type": "Progressing", "status": "False", "reason": "ReplicaSetCreateError"}


def ready(deployment: Json) -> str:
    """Return the reason for a MyResource of three replicas whose finished Deployment is changed to *deployment*."""
    return reason(sync(my_resource(replicas=3), deployment))


def child_of(children: list[Json], kind: str) -> Json:
    return next(item for item in children if item["kind"] == kind)


def deployment(**status: Any) -> Json:
    (made,) = finished(my_resource(replicas=3))
    return {**made, "status": {**made["status"], **status}}


def test_a_finished_rollout_is_ready() -> None:
    answer = sync(my_resource(replicas=3), deployment())

    assert (reason(answer), condition(answer)["status"], answer["status"]["state"]) == ("Available", "True", "Ready")


def test_nothing_observed_is_building() -> None:
    assert reason(sync(my_resource())) == "Building"


def test_a_deployment_of_an_earlier_generation_is_building_however_finished_it_looks() -> None:
    (old,) = finished(my_resource(generation=1))

    assert reason(sync(my_resource(generation=2), old)) == "Building"


def test_the_generation_stamp_alone_tells_that_a_field_was_removed() -> None:
    (old,) = finished(my_resource(generation=1, env=[{"name": "A", "value": "1"}]))

    assert reason(sync(my_resource(generation=2), old)) == "Building"


def test_the_stamp_of_another_parent_does_not_count() -> None:
    (made,) = finished(my_resource())
    made["metadata"]["annotations"]["mygroup.example.com/applied"] = "1-00000000"

    assert reason(sync(my_resource(), made)) == "Building"


def test_a_deployment_scaled_by_hand_is_not_ready_though_stamped_and_available() -> None:
    (made,) = finished(my_resource(replicas=3))
    scaled = rolled_out({**made, "spec": {**made["spec"], "replicas": 7}})

    assert ready(scaled) == "Building"


def test_a_deployment_that_is_being_deleted_is_not_ready() -> None:
    made = deployment()

    assert ready({**made, "metadata": {**made["metadata"], "deletionTimestamp": EARLIER_TEXT}}) == "ChildTerminating"


def test_a_missing_service_keeps_it_from_being_ready() -> None:
    parent = my_resource(ports=[{"containerPort": 80}])
    children = finished(parent)
    without = [item for item in children if item["kind"] == "Deployment"]

    assert reason(sync(parent, *without)) == "Building"
    assert reason(sync(parent, *children)) == "Available"


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        pytest.param({"observedGeneration": 0}, "RollingOut", id="not looked at yet"),
        pytest.param({"updatedReplicas": 2}, "RollingOut", id="updates missing"),
        pytest.param({"updatedReplicas": None}, "RollingOut", id="no updates at all"),
        pytest.param({"replicas": 4}, "RollingOut", id="old ones left"),
        pytest.param({"availableReplicas": 2}, "RollingOut", id="not all available"),
        pytest.param(
            {"replicas": 7, "updatedReplicas": 7, "availableReplicas": 7}, "RollingOut", id="too many, though new"
        ),
        pytest.param({"conditions": [TOO_LATE], "updatedReplicas": 1}, "ProgressDeadlineExceeded", id="too late"),
        pytest.param({"conditions": [FAILED_PODS], "updatedReplicas": 0}, "ReplicaFailure", id="Pods refused"),
        pytest.param({"conditions": [NO_REPLICA_SET], "updatedReplicas": 0}, "ReplicaFailure", id="ReplicaSet refused"),
        pytest.param(
            {"conditions": [{**FAILED_PODS, "status": "False"}], "updatedReplicas": 2}, "RollingOut", id="once refused"
        ),
        pytest.param({"conditions": [TOO_LATE], "observedGeneration": 0}, "RollingOut", id="an old verdict"),
        pytest.param({"conditions": None}, "Available", id="no conditions"),
    ],
)
def test_the_rollout_is_complete_only_when_all_pods_are_new_available_and_no_more_than_asked_for(
    status: Json, expected: str
) -> None:
    assert ready(deployment(**status)) == expected


def test_a_deployment_without_a_status_is_rolling_out() -> None:
    made = deployment()
    del made["status"]

    assert ready(made) == "RollingOut"


def test_scaled_to_zero_is_ready_once_no_pod_is_left() -> None:
    parent = my_resource(replicas=0)
    (made,) = finished(parent)
    ending = {**made, "status": {**made["status"], "replicas": 2, "updatedReplicas": 2, "availableReplicas": 2}}

    assert reason(sync(parent, made)) == "ScaledToZero"
    assert condition(sync(parent, made))["status"] == "True"
    assert reason(sync(parent, ending)) == "RollingOut"


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


def test_having_been_ready_is_remembered_over_a_failure() -> None:
    parent = my_resource(replicas=3)
    answers = [sync(parent, deployment())]
    for status in ({"conditions": [TOO_LATE], "updatedReplicas": 1}, {"availableReplicas": 1}):
        answers.append(sync({**parent, "status": answers[-1]["status"]}, deployment(**status)))

    assert [answer["status"]["state"] for answer in answers] == ["Ready", "Failed", "Degraded"]


@pytest.mark.parametrize(
    ("updated", "expected"),
    [pytest.param(1, "Paused", id="in a rollout"), pytest.param(3, "Available", id="with nothing to do")],
)
def test_a_paused_deployment_must_be_resumed_by_a_user(updated: int, expected: str) -> None:
    made = deployment(updatedReplicas=updated)

    assert ready({**made, "spec": {**made["spec"], "paused": True}}) == expected


def test_a_port_that_was_removed_and_is_still_in_the_service_keeps_it_from_being_ready() -> None:
    both, one = ([{"containerPort": port} for port in ports] for ports in ((80, 81), (80,)))
    before = finished(my_resource(ports=both))
    after = finished(my_resource(generation=2, ports=one))
    stale = [child_of(after, "Deployment"), child_of(before, "Service")]

    assert reason(sync(my_resource(generation=2, ports=one), *stale)) == "Building"
    assert reason(sync(my_resource(generation=2, ports=one), *after)) == "Available"


def test_a_service_that_is_no_longer_desired_keeps_it_from_being_ready_until_it_is_gone() -> None:
    parent = my_resource()
    service = child_of(finished(my_resource(ports=[{"containerPort": 80}])), "Service")

    answer = sync(parent, *finished(parent), service)

    assert condition(answer)["message"] == "Waiting for Service web to be deleted."
    assert answer["status"]["waiting"]["what"] == "deletion of Service web"
    assert condition(answer, "Progressing")["reason"] == "RolledOut"
    assert [child["kind"] for child in answer["children"]] == ["Deployment"]


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


def test_another_deployment_that_is_to_be_deleted_is_not_taken_for_the_rollout() -> None:
    parent = my_resource()
    (deployment,) = finished(parent)
    stray = {**deployment, "metadata": {**deployment["metadata"], "name": "stray", "annotations": {}}}

    answer = sync(parent, deployment, stray)

    assert condition(answer)["message"] == "Waiting for Deployment stray to be deleted."
    assert condition(answer, "Progressing")["reason"] == "RolledOut"


def test_a_deleted_myresource_is_terminating_and_still_lists_its_children() -> None:
    parent = my_resource(deleting=True)

    answer = sync(parent, *finished(my_resource()))

    assert (answer["status"]["state"], reason(answer)) == ("Terminating", "Terminating")
    assert len(answer["children"]) == 1
    assert "resyncAfterSeconds" not in answer


def test_every_reason_has_a_rule_or_comes_from_pods_and_every_rule_has_a_reason_of_the_table() -> None:
    assert [found.name for found, _ in RULES if found in POD_REASONS] == []
    assert {found.name for found in (*POD_REASONS, *(found for found, _ in RULES))} == set(REASONS)


@pytest.mark.parametrize("status", [TOO_LATE, FAILED_PODS, NO_REPLICA_SET], ids=["late", "refused", "no ReplicaSet"])
def test_a_paused_deployment_is_paused_whatever_it_still_says_of_a_failure(status: Json) -> None:
    """The Deployment controller keeps what it said of a failure for as long as it is paused."""
    made = deployment(conditions=[status], updatedReplicas=1)
    paused = {**made, "spec": {**made["spec"], "paused": True}}

    answer = sync(my_resource(replicas=3), paused)

    assert (reason(answer), condition(answer, "Progressing")["reason"]) == ("Paused", "DeploymentPaused")
    assert ready(made) != "Paused"


def test_a_pause_after_the_rollout_is_not_blamed_for_pods_that_are_lost() -> None:
    made = deployment(availableReplicas=1)

    assert ready({**made, "spec": {**made["spec"], "paused": True}}) == "RollingOut"


def test_pods_that_are_refused_are_stalled_only_when_the_deadline_has_passed() -> None:
    """A surge over a quota ends by itself; past the deadline there are still no Pods to describe."""
    answers = [
        sync(my_resource(replicas=3), deployment(conditions=conditions, updatedReplicas=0))
        for conditions in ([FAILED_PODS], [FAILED_PODS, TOO_LATE])
    ]

    assert [reason(answer) for answer in answers] == ["ReplicaFailure", "ReplicaFailure"]
    assert [answer["status"]["state"] for answer in answers] == ["Building", "Failed"]
