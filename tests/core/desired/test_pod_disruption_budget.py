import pytest

from tests.requests.builders import Json, child, condition, finished, kinds, my_resource, owned, sync

TWO = my_resource(replicas=2, podDisruptionBudget="Auto")


def test_one_pod_at_a_time_may_be_evicted_and_any_that_is_not_ready() -> None:
    assert child(sync(TWO), "PodDisruptionBudget")["spec"] == {
        "maxUnavailable": 1,
        "selector": {"matchLabels": {"myresource": "web"}},
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
    }


@pytest.mark.parametrize(
    "fields",
    [{"replicas": 2}, {"replicas": 2, "podDisruptionBudget": "Disabled"}]
    + [{"replicas": few, "podDisruptionBudget": "Auto"} for few in (0, 1)],
)
def test_without_the_field_or_a_second_pod_there_is_none(fields: Json) -> None:
    assert kinds(sync(my_resource(**fields), *finished(TWO))) == ["Deployment"]


@pytest.mark.parametrize(("most", "expected"), [(1, False), (2, True)])
def test_with_an_autoscaler_it_depends_on_the_bound_so_that_it_does_not_come_and_go(
    *, most: int, expected: bool
) -> None:
    autoscaling = {"maxReplicas": most, "targetMemoryUtilizationPercentage": 80}
    answer = sync(my_resource(podDisruptionBudget="Auto", autoscaling=autoscaling))

    assert ("PodDisruptionBudget" in kinds(answer)) is expected


EARLIER = ("Deployment", "Service")
"""The kinds that the CompositeController of an earlier release lists."""


def test_an_earlier_composite_controller_loses_no_call_and_the_others_are_created() -> None:
    answer = sync({**TWO, "spec": {**TWO["spec"], "ports": [{"containerPort": 80}]}}, listed=EARLIER)

    assert kinds(answer) == ["Deployment", "Service"]
    assert condition(answer)["reason"] == "KindNotManaged"
    assert "does not list kind PodDisruptionBudget" in condition(answer)["message"]


def test_who_does_not_ask_for_one_notices_no_difference() -> None:
    parent = my_resource()
    deployment = owned(child(sync(parent), "Deployment"), parent)

    assert sync(parent, deployment, listed=EARLIER) == sync(parent, deployment)
