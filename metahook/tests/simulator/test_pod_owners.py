"""The owners of Pods: how many Pods a ReplicaSet has, in which order they are deleted, and StatefulSets.

The Pods of StatefulSets are not simulated: they follow each change.
"""

from typing import Any

from metahook.simulator.controllers.kubelet import Failure
from metahook.simulator.controllers.pod_status import is_ready
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Key, is_deleting
from metahook.simulator.world import World
from toolkit.controllers import decorator, item, resource
from toolkit.deployments import count, edited, imaged, started
from toolkit.hooks.service_per_object import SERVICES


def test_a_pod_that_is_deleted_is_replaced() -> None:
    made = started(replicas=2)
    made.until_quiet()
    first, _ = made.api.all("Pod")

    made.delete(Key("Pod", "default", first["metadata"]["name"]))
    made.until_quiet()

    names = [pod["metadata"]["name"] for pod in made.api.all("Pod")]
    assert len(names) == 2
    assert first["metadata"]["name"] not in names


def test_unready_pods_are_deleted_first_and_then_the_newest() -> None:
    made = started(replicas=2)
    made.until_quiet()
    made.kubelet.fail(Failure.BAD_IMAGE)
    edited(made, replicas=3)
    made.run(30)
    oldest, second, sick = made.api.all("Pod")
    assert [is_ready(pod) for pod in (oldest, second, sick)] == [True, True, False]

    edited(made, replicas=2)
    made.until_quiet()
    assert [pod["metadata"]["name"] for pod in made.api.all("Pod")] == [
        oldest["metadata"]["name"],
        second["metadata"]["name"],
    ]

    edited(made, replicas=1)
    made.until_quiet()
    assert [pod["metadata"]["name"] for pod in made.api.all("Pod")] == [oldest["metadata"]["name"]]


def test_a_pod_is_available_once_it_has_been_ready_for_min_ready_seconds() -> None:
    made = started(minReadySeconds=20)
    made.run(10)
    assert (count(made, "readyReplicas"), count(made, "availableReplicas")) == (1, 0)

    made.run(15)
    assert count(made, "availableReplicas") == 1


def test_another_min_ready_seconds_makes_no_other_replica_set() -> None:
    made = started()
    made.until_quiet()
    edited(made, minReadySeconds=5)
    made.until_quiet()

    (only,) = made.api.all("ReplicaSet")
    assert only["spec"]["minReadySeconds"] == 5


def test_a_terminating_pod_is_not_counted() -> None:
    made = started()
    made.until_quiet()
    imaged(made, "nginx:2")
    made.until(lambda: any(is_deleting(pod) for pod in made.api.all("Pod")))
    made.run(0.1)

    assert len(made.api.all("Pod")) == 2
    assert count(made, "replicas") == 1


def test_counts_of_zero_are_not_in_the_status_except_for_two() -> None:
    made = started(replicas=0)
    made.until_quiet()

    (replica_set,) = made.api.all("ReplicaSet")
    assert replica_set["status"] == {"observedGeneration": 1, "replicas": 0, "terminatingReplicas": 0}

    edited(made, replicas=2)
    made.until_quiet()
    assert made.api.all("ReplicaSet")[0]["status"]["fullyLabeledReplicas"] == 2


DB = Key("StatefulSet", "default", "db")


def stateful_set(**fields: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "main", "image": "db:1"}]}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "serviceName": "db", "template": template, **fields}
    return item("apps/v1", "StatefulSet", "db", "default", spec=spec)


def counts(made: World) -> tuple[int | None, int | None]:
    """Return the generation that the status is about, and how many Pods are ready."""
    status = made.get(DB).get("status") or {}
    return status.get("observedGeneration"), status.get("readyReplicas")


def world() -> World:
    """Return a world whose hook is about other objects."""
    settings = Settings.read(decorator("none", [resource("v1", "secrets", None)], resource("v1", "services")))
    return World(SERVICES, settings)


def test_the_pods_of_a_stateful_set_are_ready_a_second_after_a_change() -> None:
    made = world()
    made.apply(stateful_set())
    assert counts(made) == (None, None)
    made.run(1)
    assert counts(made) == (1, 1)

    made.apply(stateful_set(replicas=3))
    assert counts(made) == (1, 1)
    made.run(1)
    assert counts(made) == (2, 3)

    writes = len(list(made.history.writes()))
    made.run(60)
    assert len(list(made.history.writes())) == writes


def test_a_stateful_set_may_be_gone_before_its_pods_are_ready() -> None:
    made = world()
    made.apply(stateful_set())
    made.delete(DB)

    made.until_quiet()

    assert made.api.get(DB) is None
