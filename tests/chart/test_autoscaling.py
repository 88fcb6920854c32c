"""A HorizontalPodAutoscaler of the hook: it alone sets the number of replicas."""

from tests.chart.sets import Json, objects, the


def scaled(**autoscaling: object) -> Json:
    """Return values with autoscaling."""
    return {"autoscaling": {"enabled": True, **autoscaling}}


def kinds(given: Json) -> set[str]:
    return {item["kind"] for item in objects(given)}


def test_the_deployment_has_a_number_of_replicas_only_without_an_autoscaler() -> None:
    assert the("Deployment")["spec"]["replicas"] == 2
    assert "HorizontalPodAutoscaler" not in kinds({})
    assert "replicas" not in the("Deployment", scaled())["spec"]


def test_the_autoscaler_scales_the_deployment() -> None:
    spec = the("HorizontalPodAutoscaler", scaled())["spec"]
    deployment = the("Deployment", scaled())

    assert spec["scaleTargetRef"] == {
        "apiVersion": deployment["apiVersion"],
        "kind": deployment["kind"],
        "name": deployment["metadata"]["name"],
    }
    assert (spec["minReplicas"], spec["maxReplicas"]) == (2, 5)


def test_metrics_replace_the_cpu_utilization() -> None:
    memory = {"type": "Resource", "resource": {"name": "memory", "target": {"type": "Value", "averageValue": "300Mi"}}}
    given = {**scaled(metrics=[memory]), "resources": {"requests": {"cpu": None}}}

    (default,) = the("HorizontalPodAutoscaler", scaled())["spec"]["metrics"]
    assert default["resource"] == {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}
    assert the("HorizontalPodAutoscaler", given)["spec"]["metrics"] == [memory]


def test_the_disruption_budget_follows_the_minimum_of_replicas() -> None:
    assert "PodDisruptionBudget" in kinds({"replicaCount": 1, **scaled(minReplicas=2)})
    assert "PodDisruptionBudget" not in kinds({"replicaCount": 2, **scaled(minReplicas=1)})
