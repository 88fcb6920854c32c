"""Pods explain a status on the real control plane: one message for each cause, and no writes for other Pod changes.

The emulated kubelet ignores Pods of the image ``slow``; these tests write the statuses of the simulator's Pods to them.
"""

import time
from datetime import UTC, datetime
from itertools import islice

import pytest

from metahook.simulator.clock import Clock
from metahook.simulator.controllers.kubelet import Failure, Times, pod_lifecycle
from metahook.simulator.objects import Json
from tests.e2e.cluster import Cluster, stopped
from tests.e2e.kubelet import status
from tests.e2e.namespace import Namespace
from tests.e2e.statuses import condition

HOUR = 3600
MOST = 8
"""The sequence of states and reasons of a status."""
PROBE = {"exec": {"command": ["ready"]}, "periodSeconds": 1, "failureThreshold": 1}
ENV = [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}]

CAUSES = {
    Failure.CONFIG_ERROR: ("ContainerConfigError", "key password of Secret db does not exist"),
    Failure.OOM: ("OOMKilled", "Container main was OOMKilled at its 64Mi limit: raise spec.memory."),
    Failure.UNREADY: ("ProbeFailing", "check spec.readinessProbe"),
}


class Life:
    """The statuses of the only new Pod, by a *fate*; its containers started this number of seconds *ago*."""

    def __init__(self, here: Namespace, fate: Failure, ago: float) -> None:
        self._here = here
        self._clock = Clock(datetime.fromtimestamp(time.time() - ago, UTC))
        (pod,) = (item for item in here.client.all("Pod", here.name) if not item["status"].get("conditions"))
        self._name = pod["metadata"]["name"]
        self._rest = pod_lifecycle(pod, fate, Times())

    def goes_on(self, steps: int) -> None:
        """Write the next statuses, each when nothing changes any more."""
        for news in islice(self._rest, steps):
            pod = self._here.get("Pod", self._name)
            self._write(news.status(pod, self._clock))
            self._here.wait_until_quiet(0.3)

    def _write(self, status: Json) -> None:
        self._here.client.change("Pod", self._here.name, self._name, {"status": status}, part="/status")


def begun(here: Namespace, fate: Failure, ago: float, probe: Json | None = PROBE) -> Life:
    """Create a MyResource, and return the life of its Pod."""
    probes: Json = {"readinessProbe": probe} if probe else {}
    here.make(image="nginx:slow", memory="64Mi", env=ENV, **probes)
    here.wait_for_status("Building", "RollingOut")
    here.wait_until_quiet()
    return Life(here, fate, ago)


@pytest.mark.parametrize("fate", CAUSES, ids=lambda fate: fate.value)
def test_a_cause_is_reported_once_however_often_the_pod_changes(here: Namespace, fate: Failure) -> None:
    reason, words = CAUSES[fate]
    new = begun(here, fate, ago=HOUR if fate is Failure.UNREADY else 0)
    new.goes_on(5)
    here.wait_for_status("Building", reason)
    assert words in here.message()

    done = here.since()
    new.goes_on(9)

    assert done.writes == []
    assert here.touched().writes == []


def test_a_crash_loop_without_a_probe_is_not_ready_while_its_deployment_flaps(here: Namespace) -> None:
    new = begun(here, Failure.CRASH, ago=0, probe=None)
    new.goes_on(6)
    here.wait_for_status("Degraded", "CrashLooping")
    statuses = here.history()
    available, done = len(here.available()), here.since()

    new.goes_on(9)

    assert len(here.available()) > available
    assert done.writes == []
    assert here.history() == statuses
    assert len(statuses) <= MOST


def test_a_loss_that_the_deployment_does_not_show_yet_is_not_older_than_it_is(
    here: Namespace, cluster: Cluster
) -> None:
    here.ready()
    here.change(image="nginx:1.28")
    here.wait_until_ready()
    here.wait_until_quiet(2.2)  # times are in whole seconds
    lost_at = int(time.time())

    with stopped(cluster.control_plane.controllers):
        (pod,) = here.client.all("Pod", here.name, labelSelector="myresource=web")
        crash = status(pod, "crash", f"{datetime.fromtimestamp(lost_at, UTC):%Y-%m-%dT%H:%M:%SZ}")
        here.client.change("Pod", here.name, pod["metadata"]["name"], {"status": crash}, part="/status")
        here.eventually(lambda: condition(here.get("MyResource"), "Available")["status"] == "False")
    here.wait_until_quiet()

    found = [condition(here.get("MyResource"), kind)["lastTransitionTime"] for kind in ("Available", "Ready")]
    assert min(datetime.fromisoformat(each).timestamp() for each in found) >= lost_at
