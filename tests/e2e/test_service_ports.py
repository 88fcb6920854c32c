"""Requests through a change of ports: the EndpointSlices of the Service, and the Pods that they lead to."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from metahook.simulator.objects import Json, Key
from tests.e2e.namespace import Namespace
from tests.e2e.record import Record, Version, Watch

SLOW: Json = {"replicas": 4, "minReadySeconds": 1}
"""So that a rollout takes some seconds: the Pods are ready at once."""

WAYS: dict[str, tuple[Json, Json, list[int | str]]] = {
    "another number of a name": (
        {"name": "http", "containerPort": 80, "servicePort": 80},
        {"name": "http", "containerPort": 81, "servicePort": 80},
        ["http"],
    ),
    "a name is added": ({"containerPort": 80}, {"name": "http", "containerPort": 80}, [80, "http"]),
    "another name": ({"name": "a", "containerPort": 80}, {"name": "b", "containerPort": 80}, ["a", 80, "b"]),
    "another number": ({"containerPort": 80, "servicePort": 80}, {"containerPort": 81, "servicePort": 80}, [80, 81]),
    "another number, also of the Service": ({"containerPort": 80}, {"containerPort": 81}, [80, 81]),
}


class Slices:
    """Follows the EndpointSlices of a Service with one port."""

    def __init__(self, here: Namespace) -> None:
        self._here = here
        self._slices: dict[Key, Json] = {}
        self.served: list[int] = []
        """How many ready Pods listened where the slices lead, after each change of a slice."""

    def follow(self, key: Key, version: Version) -> None:
        """Count them."""
        self._slices.pop(key, None)
        if not version.deleted:
            self._slices[key] = version.item
        self.served.append(sum(self._listening(each) for each in self._slices.values()))

    def _listening(self, slice_: Json) -> int:
        numbers = {port["port"] for port in slice_.get("ports") or []}
        ready = [each["targetRef"]["name"] for each in slice_["endpoints"] or [] if each["conditions"]["ready"]]
        return sum(bool(numbers & self._ports(name)) for name in ready)

    def _ports(self, pod: str) -> set[int]:
        versions = self._here.versions("Pod", pod)
        containers = versions[0].item["spec"]["containers"] if versions else []
        return {port["containerPort"] for each in containers for port in each.get("ports", [])}


@contextmanager
def followed(here: Namespace) -> Iterator[Slices]:
    """Follow the slices in the namespace."""
    record, slices = Record(), Slices(here)
    record.listeners.append(slices.follow)
    watch = Watch("EndpointSlice", here.client, record, here.name)
    watch.start()
    try:
        here.eventually(lambda: bool(slices.served) and slices.served[-1] > 0)
        yield slices
    finally:
        watch.stopping.set()


def targets(here: Namespace) -> list[int | str]:
    """Return the sequence of targets of the Service."""
    found = [version.item["spec"]["ports"][0]["targetPort"] for version in here.versions("Service")]
    return [now for before, now in zip([None, *found], found, strict=False) if now != before]


@pytest.mark.each_mode
@pytest.mark.parametrize(("before", "after", "sequence"), WAYS.values(), ids=WAYS)
def test_a_ready_pod_listens_through_a_change_of_a_port(
    here: Namespace, before: Json, after: Json, sequence: list[int | str]
) -> None:
    here.ready(ports=[before], **SLOW)
    with followed(here) as slices:
        pods, done = here.pods(), here.since()
        here.change(ports=[after], image="nginx:2")
        here.wait_until_ready()
        here.eventually(lambda: slices.served[-1] == SLOW["replicas"])

    assert not pods & here.pods()
    assert min(slices.served) > 0
    assert targets(here) == sequence
    assert sum("services" in write for write in done.children) <= 2
    assert here.touched().writes == []


@pytest.mark.each_mode
def test_old_pods_serve_while_a_rollout_is_stuck(here: Namespace) -> None:
    here.ready(ports=[{"containerPort": 80, "servicePort": 80}], **SLOW)
    with followed(here) as slices:
        here.change(ports=[{"containerPort": 81, "servicePort": 80}], image="nginx:bad")
        here.wait_for_status("Building", "ImagePullFailed")
        here.wait_until_quiet(3)
        assert targets(here) == [80]
        here.change(image="nginx:2")
        here.wait_until_ready()

    assert min(slices.served) > 0
    assert targets(here) == [80, 81]
