"""Ready while an autoscaler scales, and what the autoscaler reports."""

from datetime import timedelta
from typing import Any

import pytest

from tests.requests.builders import NOW, Json, condition, finished, my_resource, reason, sync

AUTOSCALING: Json = {"minReplicas": 2, "maxReplicas": 9, "targetMemoryUtilizationPercentage": 80}
SPEC: Json = {"autoscaling": AUTOSCALING, "progressDeadlineSeconds": 60}
READY = sync(my_resource(**SPEC), *finished(my_resource(**SPEC)))["status"]
WAS_READY = my_resource(**SPEC, status=READY)
COUNTS = ("replicas", "updatedReplicas", "availableReplicas")
CHANGING = {"replicas", "updatedReplicas", "countedAt", "waiting"}
"""The fields of the status that change while it scales."""


def scaled(before: int, to: int, **status: Any) -> list[Json]:
    """Return the children after the Deployment was scaled, with the counts of *before* but for those of *status*."""
    deployment, autoscaler = finished(my_resource(**SPEC))
    metadata = {**deployment["metadata"], "generation": 2}
    counts = {**deployment["status"], **dict.fromkeys(COUNTS, before), "observedGeneration": 2, **status}
    spec = {**deployment["spec"], "replicas": to}
    return [{**deployment, "metadata": metadata, "spec": spec, "status": counts}, autoscaler]


@pytest.mark.parametrize(
    "children",
    [
        pytest.param(scaled(2, 9, observedGeneration=1), id="up, not yet observed"),
        pytest.param(scaled(2, 9), id="up"),
        pytest.param(scaled(2, 9, replicas=9, updatedReplicas=9), id="Pods are starting"),
        pytest.param(scaled(9, 2, observedGeneration=1), id="down, not yet observed"),
        pytest.param(scaled(9, 2, availableReplicas=2), id="Pods are stopping"),
        pytest.param(scaled(9, 9, observedGeneration=1), id="the number is recorded"),
    ],
)
def test_it_stays_ready_while_it_scales_and_its_conditions_stay_the_same(children: list[Json]) -> None:
    deployment, _ = children
    deployment["status"]["conditions"][0]["status"] = "False"  # a Deployment that scales up is not Available
    answer = sync(WAS_READY, *children)

    fields = answer["status"].keys() | READY.keys()
    assert {field for field in fields if answer["status"].get(field) != READY.get(field)} <= CHANGING
    assert answer["status"]["replicas"] == answer["status"]["updatedReplicas"]
    assert answer["resyncAfterSeconds"] == 60


def test_pods_that_do_not_start_within_the_deadline_are_missing() -> None:
    children = scaled(2, 9, replicas=9, updatedReplicas=9)
    waiting = my_resource(**SPEC, status=sync(WAS_READY, *children)["status"])
    answers = [sync(waiting, *children, now=NOW + timedelta(seconds=seconds)) for seconds in (59, 60)]

    assert [reason(answer) for answer in answers] == ["Available", "ReplicasUnavailable"]
    assert condition(answers[1], "Stalled")["status"] == "True"
    missed = my_resource(**SPEC, status=answers[1]["status"])
    assert reason(sync(missed, *scaled(2, 8), now=NOW + timedelta(seconds=61))) == "ReplicasUnavailable"


@pytest.mark.parametrize(
    ("parent", "children", "expected"),
    [
        pytest.param(WAS_READY, scaled(9, 9, availableReplicas=1), "ReplicasUnavailable", id="less than the least"),
        pytest.param(WAS_READY, scaled(2, 9, updatedReplicas=1), "ReplicasUnavailable", id="another template"),
        pytest.param(
            WAS_READY,
            scaled(2, 9, conditions=[{"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated"}]),
            "RollingOut",
            id="a rollout",
        ),
        pytest.param(my_resource(**SPEC), scaled(2, 9), "RollingOut", id="never Ready"),
        pytest.param(
            my_resource(**SPEC, status={**READY, "readyGeneration": 0}), scaled(2, 9), "RollingOut", id="a new spec"
        ),
    ],
)
def test_otherwise_missing_pods_are_missing(parent: Json, children: list[Json], expected: str) -> None:
    assert reason(sync(parent, *children)) == expected


def reported(*conditions: tuple[str, str, str]) -> Json:
    """Return the children, of which the autoscaler reports *conditions*."""
    deployment, autoscaler = finished(my_resource(**SPEC))
    found = [{"type": kind, "status": status, "reason": why} for kind, status, why in conditions]
    answer = sync(WAS_READY, deployment, {**autoscaler, "status": {"conditions": found}})
    assert reason(answer) == "Available"
    return condition(answer, "AutoscalingActive")


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
    found = reported(*conditions)

    assert (found["status"], found["reason"]) == (status, expected)
    assert "{" not in found["message"]
    assert "kubectl" in found["message"] or status != "False"


def test_without_autoscaling_there_is_no_such_condition() -> None:
    plain = my_resource()

    assert "AutoscalingActive" not in str(sync(plain, *finished(plain)))
