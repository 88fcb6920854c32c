"""Requests through a change of ports: the EndpointSlices of the Service, and the Pods that they lead to."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

from metahook.simulator.objects import Json, Key
from tests.e2e.cluster import Cluster
from tests.e2e.namespace import Namespace
from tests.e2e.record import Record, Version, Watch

NODE = "node"

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

    def begin(self) -> None:
        """Wait until all Pods are served, and count from now on."""
        self.end()
        self.served = self.served[-1:]

    def end(self) -> None:
        """Wait until all Pods are served."""
        self._here.eventually(lambda: self.served[-1:] == [SLOW["replicas"]])

    def _listening(self, slice_: Json) -> int:
        numbers = {port["port"] for port in slice_.get("ports") or []}
        ready = [each["targetRef"]["name"] for each in slice_["endpoints"] or [] if each["conditions"]["ready"]]
        return sum(bool(numbers & self._ports(name)) for name in ready)

    def _ports(self, pod: str) -> set[int]:
        versions = self._here.versions("Pod", pod)
        containers = versions[0].item["spec"]["containers"] if versions else []
        return {port["containerPort"] for each in containers for port in each.get("ports", [])}


class Node:
    """A node for the Pods of a namespace: an EndpointSlice has only Pods with a node and an address."""

    def __init__(self, here: Namespace) -> None:
        self._here = here
        self._worker = ThreadPoolExecutor(1)
        here.client.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}})

    def follow(self, key: Key, version: Version) -> None:
        """Bind a Pod that is ready, and end one that is being deleted."""
        if key.kind == "Pod" and key.namespace == self._here.name and not version.deleted:
            self._worker.submit(self._act, version.item)

    def _act(self, pod: Json) -> None:
        name, client = pod["metadata"]["name"], self._here.client
        path = client.path("Pod", self._here.name, name)
        if "deletionTimestamp" in pod["metadata"]:
            client.http.delete(path, params={"gracePeriodSeconds": 0})
        elif "nodeName" not in pod["spec"]:
            target = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": {"name": NODE}}
            client.http.post(f"{path}/binding", json=target)
        elif pod["status"].get("podIP") == "127.0.0.1":  # no endpoint can have it
            address = "10." + ".".join(str(byte) for byte in UUID(pod["metadata"]["uid"]).bytes[:3])
            change = {"status": {"podIP": address, "podIPs": [{"ip": address}]}}
            client.change("Pod", self._here.name, name, change, part="/status")


@pytest.fixture
def slices(here: Namespace, cluster: Cluster) -> Iterator[Slices]:
    """Follow the EndpointSlices in the namespace, whose Pods are on a node."""
    record, slices, node = Record(), Slices(here), Node(here)
    record.listeners.append(slices.follow)
    cluster.record.listeners.append(node.follow)
    watch = Watch("EndpointSlice", here.client, record, here.name)
    watch.start()
    yield slices
    watch.stopping.set()
    here.close_myresources()
    here.eventually(lambda: not here.client.all("Pod", here.name))
    cluster.record.listeners.remove(node.follow)


def targets(here: Namespace) -> list[int | str]:
    """Return the sequence of targets of the Service."""
    found = [version.item["spec"]["ports"][0]["targetPort"] for version in here.versions("Service")]
    return [now for before, now in zip([None, *found], found, strict=False) if now != before]


@pytest.mark.each_mode
@pytest.mark.parametrize(("before", "after", "sequence"), WAYS.values(), ids=WAYS)
def test_a_ready_pod_listens_through_a_change_of_a_port(
    here: Namespace, slices: Slices, before: Json, after: Json, sequence: list[int | str]
) -> None:
    here.ready(ports=[before], **SLOW)
    slices.begin()
    pods, done = here.pods(), here.since()
    here.change(ports=[after], image="nginx:2")
    here.wait_until_ready()
    slices.end()

    assert not pods & here.pods()
    assert min(slices.served) > 0
    assert targets(here) == sequence
    assert sum("services" in write for write in done.children) <= 2
    assert here.touched().writes == []


@pytest.mark.each_mode
def test_old_pods_serve_while_a_rollout_is_stuck(here: Namespace, slices: Slices) -> None:
    here.ready(ports=[{"containerPort": 80, "servicePort": 80}], **SLOW)
    slices.begin()
    here.change(ports=[{"containerPort": 81, "servicePort": 80}], image="nginx:bad")
    here.wait_for_status("Building", "ImagePullFailed")
    here.wait_until_quiet(3)
    assert targets(here) == [80]
    here.change(image="nginx:2")
    here.wait_until_ready()
    slices.end()

    assert min(slices.served) > 0
    assert targets(here) == [80, 81]
