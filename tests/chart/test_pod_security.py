"""Every Pod of the chart passes Pod Security "restricted", and is stricter; negative controls of the evaluator."""

import pytest

from tests.chart.pod_security import OF_CONTAINERS, violations
from tests.chart.sets import SETS, Json, objects, the, values

GOOD = the("Deployment")["spec"]["template"]["spec"]


def pods(name: str) -> list[Json]:
    made = objects(values(name))
    templates = [item["spec"]["template"]["spec"] for item in made if item["kind"] == "Deployment"]
    return templates + [item["spec"] for item in made if item["kind"] == "Pod"]


@pytest.mark.parametrize("name", SETS)
def test_every_pod_is_restricted(name: str) -> None:
    assert len(pods(name)) == 2
    for pod in pods(name):
        assert violations(pod) == []
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert "memory" in container["resources"]["limits"]


@pytest.mark.parametrize(
    ("of_pod", "of_container", "problem"),
    [
        ({"hostPID": True}, {}, "hostPID"),
        ({"volumes": [{"name": "x", "hostPath": {"path": "/"}}]}, {}, "x"),
        ({"securityContext": {}}, {}, "runAsNonRoot"),
        ({}, {"securityContext": {**OF_CONTAINERS, "privileged": True}}, "privileged"),
        ({}, {"securityContext": {**OF_CONTAINERS, "runAsUser": 0}}, "runAsUser"),
        ({}, {"ports": [{"containerPort": 80, "hostPort": 80}]}, "hostPort"),
    ],
    ids=str,
)
def test_a_pod_that_is_not_restricted_is_found(of_pod: Json, of_container: Json, problem: str) -> None:
    pod = {**GOOD, **of_pod, "containers": [{**GOOD["containers"][0], **of_container}]}

    assert problem in violations(pod)
