"""Ready while an autoscaler scales, and what the autoscaler reports."""

from datetime import timedelta
from typing import Any

import pytest

from app.core.child_metadata import ROLLED_OUT_TEMPLATE
from app.core.timers import format_time
from tests.requests.builders import (
    NOW,
    NOW_TEXT,
    Json,
    applied,
    child,
    condition,
    finished,
    my_resource,
    reason,
    sync,
)

AUTOSCALING: Json = {"minReplicas": 2, "maxReplicas": 9, "targetMemoryUtilizationPercentage": 80}
SPEC: Json = {"autoscaling": AUTOSCALING, "progressDeadlineSeconds": 60}
READY = sync(my_resource(**SPEC), *finished(my_resource(**SPEC)))["status"]
WAS_READY = my_resource(**SPEC, status=READY)
COUNTS = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
CHANGING = {"replicas", "readyReplicas", "updatedReplicas", "countedAt", "waiting"}
"""The fields of the status that change while it scales."""


def finished_by_autoscaler(**spec: Any) -> list[Json]:
    """Return the children once they are rolled out, and the Deployment says so of its template."""
    deployment, autoscaler = finished(my_resource(**SPEC, **spec))
    return [applied(deployment, sync(my_resource(**SPEC, **spec), deployment, autoscaler)), autoscaler]


def scaled(before: int, to: int, *, ago: float = 0, **status: Any) -> list[Json]:
    """Return the children after the Deployment was scaled, with the counts of *before* but for those of *status*.

    A Deployment that scales up is not available; this one so many seconds *ago*.
    """
    deployment, autoscaler = finished_by_autoscaler()
    scale = {"manager": "kube-controller-manager", "operation": "Update", "subresource": "scale"}
    fields = {**scale, "fieldsV1": {"f:spec": {"f:replicas": {}}}}
    metadata = {**deployment["metadata"], "generation": 2, "managedFields": [fields]}
    available = {"type": "Available", "status": "False", "lastTransitionTime": NOW_TEXT}
    conditions = [available, *deployment["status"]["conditions"][1:]]
    counts = {**dict.fromkeys(COUNTS, before), "observedGeneration": 2, "conditions": conditions, **status}
    spec = {**deployment["spec"], "replicas": to}
    chosen = {"desiredReplicas": to, "lastScaleTime": format_time(NOW - timedelta(seconds=ago))}
    return [
        {**deployment, "metadata": metadata, "spec": spec, "status": counts},
        {**autoscaler, "status": {**chosen, "conditions": []}},
    ]


@pytest.mark.parametrize(
    "children",
    [
        pytest.param(scaled(2, 9, observedGeneration=1), id="up, not yet observed"),
        pytest.param(scaled(2, 9), id="up"),
        pytest.param(scaled(2, 9, ago=2), id="up, a slow controller"),
        pytest.param(scaled(2, 9, replicas=9, updatedReplicas=9), id="Pods are starting"),
        pytest.param(scaled(9, 2, observedGeneration=1), id="down, not yet observed"),
        pytest.param(scaled(9, 2, availableReplicas=2), id="Pods are stopping"),
    ],
)
def test_it_stays_ready_while_it_scales_and_its_conditions_stay_the_same(children: list[Json]) -> None:
    answer = sync(WAS_READY, *children)

    fields = answer["status"].keys() | READY.keys()
    assert {field for field in fields if answer["status"].get(field) != READY.get(field)} <= CHANGING
    assert answer["status"]["replicas"] == answer["status"]["updatedReplicas"]
    assert answer["resyncAfterSeconds"] in {60, 61}
    assert hash_of(child(answer, "Deployment")) == hash_of(children[0])


def test_pods_that_do_not_start_within_the_deadline_are_missing() -> None:
    children = scaled(2, 9, replicas=9, updatedReplicas=9)
    waiting = my_resource(**SPEC, status=sync(WAS_READY, *children)["status"])
    answers = [sync(waiting, *children, now=NOW + timedelta(seconds=seconds)) for seconds in (59, 60)]

    assert [reason(answer) for answer in answers] == ["Available", "ReplicasUnavailable"]
    assert condition(answers[1], "Stalled")["status"] == "True"
    missed = my_resource(**SPEC, status=answers[1]["status"])
    assert reason(sync(missed, *scaled(2, 8), now=NOW + timedelta(seconds=61))) == "ReplicasUnavailable"


def counted(ready: int) -> Json:
    """Return a MyResource that was Ready with as many *ready* Pods."""
    return my_resource(**SPEC, status={**READY, "replicas": ready, "readyReplicas": ready})


FAILING = {"replicas": 9, "updatedReplicas": 9}
ROLLOUT = [{"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated"}]


@pytest.mark.parametrize(
    ("parent", "children", "expected"),
    [
        pytest.param(WAS_READY, scaled(9, 9, availableReplicas=1), "ReplicasUnavailable", id="less than the least"),
        pytest.param(WAS_READY, scaled(2, 9, updatedReplicas=1), "ReplicasUnavailable", id="another template"),
        pytest.param(WAS_READY, scaled(2, 9, conditions=ROLLOUT), "RollingOut", id="a rollout"),
        pytest.param(my_resource(**SPEC), scaled(2, 9), "RollingOut", id="never Ready"),
        pytest.param(
            my_resource(**SPEC, status={**READY, "readyGeneration": 0}), scaled(2, 9), "RollingOut", id="a new spec"
        ),
        pytest.param(counted(9), scaled(3, 9, **FAILING), "ReplicasUnavailable", id="a loss"),
        pytest.param(counted(5), scaled(3, 9, **FAILING), "ReplicasUnavailable", id="a loss while it scales up"),
        pytest.param(WAS_READY, scaled(3, 9, ago=3, **FAILING), "ReplicasUnavailable", id="a loss, with an old status"),
    ],
)
def test_otherwise_missing_pods_are_missing(parent: Json, children: list[Json], expected: str) -> None:
    assert reason(sync(parent, *children)) == expected


def test_what_was_rolled_out_is_forgotten_in_the_write_that_changes_the_template() -> None:
    settled = finished_by_autoscaler()
    changed = my_resource(**SPEC, generation=2, image="nginx:2", status=READY)

    assert hash_of(settled[0])
    assert hash_of(child(sync(changed, *settled), "Deployment")) is None


def test_a_template_that_was_rolled_out_before_another_one_is_not_known() -> None:
    """As where the change between was not observed, and server-side apply wrote what was: the revision tells."""
    deployment, autoscaler = finished_by_autoscaler()
    metadata = {**deployment["metadata"], "generation": 2}
    metadata["annotations"] = {**metadata["annotations"], "deployment.kubernetes.io/revision": "2"}

    answer = sync(WAS_READY, {**deployment, "metadata": metadata}, autoscaler)

    assert reason(answer) == "RollingOut"


def hash_of(deployment: Json) -> str | None:
    found: str | None = deployment["metadata"]["annotations"].get(ROLLED_OUT_TEMPLATE)
    return found


ABLE = ("AbleToScale", "True", "ReadyForNewScale")


@pytest.mark.parametrize(
    ("conditions", "status", "expected"),
    [
        ([], "Unknown", "AutoscalerNotYetSeen"),
        ([ABLE], "Unknown", "AutoscalerNotYetSeen"),
        ([ABLE, ("ScalingActive", "True", "ValidMetricFound")], "True", "ScalingActive"),
        ([ABLE, ("ScalingActive", "False", "FailedGetContainerResourceMetric")], "False", "MetricsUnavailable"),
        ([ABLE, ("ScalingActive", "False", "AmbiguousSelector")], "False", "AmbiguousSelector"),
        ([ABLE, ("ScalingActive", "False", "ScalingDisabled")], "False", "ScalingInactive"),
        ([("AbleToScale", "False", "FailedUpdateScale"), ("ScalingActive", "True", "")], "False", "ScalingFailed"),
    ],
)
def test_what_the_autoscaler_reports_is_a_condition_of_its_own(
    conditions: list[tuple[str, str, str]], status: str, expected: str
) -> None:
    deployment, autoscaler = finished(my_resource(**SPEC))
    reported = [{"type": kind, "status": state, "reason": why} for kind, state, why in conditions]

    answer = sync(WAS_READY, deployment, {**autoscaler, "status": {"conditions": reported}})

    found = condition(answer, "AutoscalingActive")
    assert reason(answer) == "Available"
    assert (found["status"], found["reason"]) == (status, expected)
    assert "{" not in found["message"]
    assert "kubectl" in found["message"] or status != "False"
