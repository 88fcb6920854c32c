"""Requests through a change of ports: to which ready Pods the Service leads after each write."""

import pytest

from metahook.simulator.controllers.pod_status import is_ready
from metahook.simulator.objects import Json, Key
from tests.e2e.namespace import Namespace
from tests.properties.test_service_ports import number_in

WAYS: dict[str, tuple[Json, Json, list[int | str]]] = {
    "another number of a name": (
        {"name": "http", "containerPort": 80, "servicePort": 80},
        {"name": "http", "containerPort": 81, "servicePort": 80},
        ["http"],
    ),
    "another name": ({"name": "a", "containerPort": 80}, {"name": "b", "containerPort": 80}, ["a", 80, "b"]),
    "a name is added": ({"containerPort": 80}, {"name": "http", "containerPort": 80}, [80, "http"]),
    "another number": ({"containerPort": 80, "servicePort": 80}, {"containerPort": 81, "servicePort": 80}, [80, 81]),
}
"""The port before, the port after, and the targets of the Service in between."""

SLOW: Json = {"replicas": 4, "minReadySeconds": 1}
"""So that a rollout takes seconds: a Service whose port is a number is written while old and new Pods are ready."""


def listening(here: Namespace) -> list[tuple[int | str, int]]:
    """Return the target of the Service after each write of it or of a Pod, and how many ready Pods listen on it."""
    versions = sorted(
        (version.number, key, version)
        for kind in ("Service", "Pod")
        for key, found in here.everything(kind).items()
        for version in found
    )
    pods: dict[Key, Json] = {}
    target: int | str = ""
    counts = []
    for _, key, version in versions:
        item = version.item
        if key.kind == "Service":
            target = item["spec"]["ports"][0]["targetPort"]
        elif version.deleted or "deletionTimestamp" in item["metadata"] or not is_ready(item):
            pods.pop(key, None)
        else:
            pods[key] = item
        counts.append((target, sum(number_in(pod, target, "TCP") is not None for pod in pods.values())))
    return counts


@pytest.mark.each_mode
@pytest.mark.parametrize(("before", "after", "sequence"), WAYS.values(), ids=WAYS)
def test_a_ready_pod_listens_through_a_change_of_a_port(
    here: Namespace, before: Json, after: Json, sequence: list[int | str]
) -> None:
    here.ready(ports=[before], **SLOW)
    here.wait_until_quiet()
    known = len(listening(here))

    here.change(ports=[after], image="nginx:2")
    here.wait_until_ready()
    here.wait_until_quiet()

    counts = listening(here)
    targets = [target for target, _ in counts[known - 1 :]]
    assert [now for old, now in zip(["", *targets], targets, strict=False) if now != old] == sequence
    assert min(pods for _, pods in counts[known - 1 :]) > 0
    assert here.touched().writes == []
