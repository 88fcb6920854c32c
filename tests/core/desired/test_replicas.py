"""The number of Pods with autoscaling, and the HorizontalPodAutoscaler."""

import json
from typing import Any

import pytest

from metahook import LAST_APPLIED
from metahook.simulator.apiserver.server_side_apply import managed_fields
from tests.requests.builders import Json, child, finished, my_resource, sync

AUTOSCALING: Json = {"minReplicas": 2, "maxReplicas": 9, "targetMemoryUtilizationPercentage": 80}
BY_MEMORY = my_resource(autoscaling=AUTOSCALING)
SCALER = "kube-controller-manager"


def observed(replicas: Any, *owners: str, annotated: str | None = None, **spec: Any) -> Json:
    """Return the Deployment with *replicas* that these managers own, under server-side apply unless *annotated*."""
    (deployment, *_) = finished(BY_MEMORY)
    fields = [managed_fields({"spec": {"replicas": replicas}}, owner, "Update")[0] for owner in owners]
    annotations = deployment["metadata"]["annotations"] | ({LAST_APPLIED: annotated} if annotated else {})
    metadata = {**deployment["metadata"], "managedFields": fields, "annotations": annotations}
    return {**deployment, "metadata": metadata, "spec": {**deployment["spec"], "replicas": replicas, **spec}}


def returned(*children: Json, **fields: Any) -> Any:
    """Return the number in the response."""
    return child(sync(my_resource(**(fields or {"autoscaling": AUTOSCALING})), *children), "Deployment")["spec"].get(
        "replicas"
    )


@pytest.mark.parametrize(
    ("replicas", "expected"), [(0, 2), (1, 2), (2, 2), (5, 5), (9, 9), (10, 9), (None, 2), ("5", 2), (-1, 2)], ids=str
)
def test_the_observed_number_is_returned_within_the_bounds(replicas: Any, expected: int) -> None:
    assert returned(observed(replicas)) == expected


def test_a_new_one_has_the_least_and_one_without_autoscaling_that_of_the_spec() -> None:
    assert returned() == 2
    assert returned(observed(5, SCALER), replicas=3) == 3


@pytest.mark.parametrize(
    ("deployment", "expected"),
    [
        pytest.param(observed(5), 5, id="nobody owns it: the API server would set 1"),
        pytest.param(observed(5, "metacontroller"), 5, id="Metacontroller owns it: leaving it out would remove it"),
        pytest.param(observed(5, SCALER), None, id="the autoscaler owns it"),
        pytest.param(observed(5, "metacontroller", SCALER), None, id="both own it"),
        pytest.param(observed(5, SCALER, annotated="{}"), 5, id="dynamic-apply would remove it"),
        pytest.param(observed(1, SCALER), 2, id="it is out of bounds"),
    ],
)
def test_it_is_left_out_where_an_old_number_could_be_written_and_nothing_is_removed(
    deployment: Json, expected: int | None
) -> None:
    assert returned(deployment) == expected


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"spec": {"autoscaling": AUTOSCALING, "image": ""}}, id="an invalid spec"),
        pytest.param({"suspend": True, "autoscaling": AUTOSCALING}, id="suspended"),
        pytest.param({"generation": 0, "autoscaling": AUTOSCALING}, id="a stale request"),
    ],
)
def test_a_deployment_that_is_kept_has_the_number_that_its_autoscaler_has_set(changed: Json) -> None:
    autoscaler = finished(BY_MEMORY)[1]
    kept = [
        child(sync(my_resource(**changed), observed(8, SCALER, annotated=applied), autoscaler), "Deployment")["spec"]
        for applied in ('{"spec": {"replicas": 3, "paused": false}}', '{"spec": {"paused": false}}')
    ]

    assert [spec.get("replicas") for spec in kept] == [8, None]


@pytest.mark.parametrize(("applied", "expected"), [({"replicas": 3}, {"replicas": 3}), ("replicas", "replicas")])
def test_any_other_is_kept_as_it_was_applied_last(applied: Any, expected: Any) -> None:
    deployment = observed(8, SCALER, annotated=json.dumps({"spec": applied}))
    children = [] if isinstance(applied, dict) else finished(BY_MEMORY)[1:]

    assert child(sync(my_resource(image=""), deployment, *children), "Deployment")["spec"] == expected


def test_the_autoscaler_has_the_bounds_targets_and_rules_of_the_spec() -> None:
    behavior = {"scaleDown": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}}
    targets = {"targetCPUUtilizationPercentage": 70, "behavior": {**behavior, "scaleUp": {}}}

    def metric(resource: str, percentage: int) -> Json:
        target = {"type": "Utilization", "averageUtilization": percentage}
        return {
            "type": "ContainerResource",
            "containerResource": {"name": resource, "container": "main", "target": target},
        }

    found = child(sync(my_resource(cpu=1, autoscaling=AUTOSCALING | targets)), "HorizontalPodAutoscaler")

    assert found["spec"] == {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web-deployment"},
        "minReplicas": 2,
        "maxReplicas": 9,
        "metrics": [metric("cpu", 70), metric("memory", 80)],
        "behavior": behavior,
    }
