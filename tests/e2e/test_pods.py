"""Pods explain a status on the real control plane: one message for each cause, and no writes for other Pod changes.

The emulated kubelet ignores Pods of the image ``slow``; these tests write the statuses of the simulator's Pods to them.
"""

import time
from datetime import UTC, datetime
from itertools import islice

import pytest

from metahook.simulator.clock import Clock
from metahook.simulator.controllers import pod_status
from metahook.simulator.controllers.pod_lifecycle import Failure, Times, pod_lifecycle
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.e2e.figures import Figures
from tests.e2e.namespace import Namespace
from tests.e2e.statuses import condition

HOUR = 3600
MOST = 8
"""The sequence of states and reasons of a status."""
PROBE = {"exec": {"command": ["ready"]}, "periodSeconds": 1, "failureThreshold": 1}
ENV = [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}]

CAUSES = {
    Failure.BAD_IMAGE: ("ImagePullFailed", "check spec.image"),
    Failure.CONFIG_ERROR: ("ContainerConfigError", "key password of Secret db does not exist"),
    Failure.OOM: ("OOMKilled", "Container main was OOMKilled at its 64Mi limit: raise spec.memory."),
    Failure.CRASH: ("CrashLooping", "keeps exiting with code 1. See: kubectl logs"),
    Failure.UNSCHEDULABLE: ("Unschedulable", "spec.memory"),
    Failure.UNREADY: ("ProbeFailing", "check spec.readinessProbe"),
}
each_cause = pytest.mark.parametrize("fate", CAUSES, ids=lambda fate: fate.value)


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


def begun(here: Namespace, fate: Failure, ago: float = HOUR, probe: Json | None = PROBE) -> Life:
    """Create a MyResource, and return the life of its Pod."""
    probes: Json = {"readinessProbe": probe} if probe else {}
    here.make(image="nginx:slow", memory="64Mi", env=ENV, **probes)
    here.wait_for_status("Building", "RollingOut")
    here.wait_until_quiet()
    return Life(here, fate, ago)


@each_cause
def test_a_cause_is_reported_once_however_often_the_pod_changes(
    here: Namespace, fate: Failure, figures: Figures, mode: Mode
) -> None:
    reason, words = CAUSES[fate]
    new = begun(here, fate, ago=HOUR if fate is Failure.UNREADY else 0)
    new.goes_on(5)
    here.wait_for_status("Building", reason)
    assert words in here.message()

    asked, done = len(here.exchanges()), here.since()
    new.goes_on(9)

    figures.note(f"hook calls, Pods change: {fate.value}", mode, len(here.exchanges()) - asked)
    figures.note(f"status writes, Pods change: {fate.value}", mode, done.statuses)
    assert done.writes == []
    assert here.touched().writes == []


@each_cause
def test_a_cause_stays_after_the_deadline_until_the_image_changes(here: Namespace, fate: Failure) -> None:
    here.ready(image="nginx:1.27", memory="64Mi", env=ENV, readinessProbe=PROBE, progressDeadlineSeconds=4)
    here.change(image="nginx:slow")
    here.wait_for_status("Building", "RollingOut")
    here.wait_until_quiet()
    Life(here, fate, HOUR if fate is Failure.UNREADY else 0).goes_on(6)

    here.wait_for_status("Failed", CAUSES[fate][0])
    assert condition(here.get("MyResource"), "Stalled")["reason"] == CAUSES[fate][0]
    assert condition(here.get("MyResource"), "Available")["status"] == "True"
    here.change(image="nginx:1.28")

    here.wait_until_ready()


def test_a_failing_probe_is_reported_after_its_time_without_an_event(here: Namespace) -> None:
    begun(here, Failure.UNREADY, ago=0).goes_on(2)
    assert here.state_and_reason() == ("Building", "RollingOut")
    versions = len(here.client.all("Pod", here.name))

    here.wait_for_status("Building", "ProbeFailing")

    assert versions == 1


def test_pods_of_the_previous_image_do_not_count_for_the_new_one(here: Namespace) -> None:
    here.make(image="nginx:crash")
    here.wait_for_status("Building", "CrashLooping")

    here.change(image="nginx:slow")
    here.wait_for_status("Building", "RollingOut")
    here.wait_until_quiet()

    assert here.state_and_reason() == ("Building", "RollingOut")


def test_a_rollback_counts_the_pods_of_the_previous_image(here: Namespace) -> None:
    here.ready(image="nginx:1.27", replicas=2)
    here.change(image="nginx:bad")
    here.wait_for_status("Building", "ImagePullFailed")

    here.change(image="nginx:1.27")

    here.wait_until_ready()
    assert ("Building", "CrashLooping") not in here.history()


def test_a_failing_injected_sidecar_is_named_as_foreign(here: Namespace) -> None:
    begun(here, Failure.RUNS)
    (pod,) = here.client.all("Pod", here.name)
    proxy = {"name": "proxy", "image": "proxy:1", "imageID": "", "ready": False, "restartCount": 0}
    state = {"waiting": {"reason": "ErrImagePull", "message": "no such image"}}
    status = {"conditions": [], "initContainerStatuses": [{**proxy, "state": state}]}

    here.client.change("Pod", here.name, pod["metadata"]["name"], {"status": status}, part="/status")

    here.wait_for_status("Building", "ImagePullFailed")
    assert "Container proxy, which is not part of this MyResource," in here.message()


LOOP = {Failure.CRASH: "CrashLooping", Failure.OOM: "OOMKilled"}


@pytest.mark.parametrize("fate", LOOP, ids=lambda fate: fate.value)
def test_a_crash_loop_without_a_probe_is_not_ready_while_its_deployment_flaps(
    here: Namespace, fate: Failure, figures: Figures, mode: Mode
) -> None:
    new = begun(here, fate, ago=0, probe=None)
    new.goes_on(6)
    here.wait_for_status("Degraded", LOOP[fate])
    statuses = here.history()
    available, done = len(here.available()), here.since()

    new.goes_on(9)

    figures.note(f"status writes, ready again and again: {fate.value}", mode, done.statuses)
    assert len(here.available()) > available
    assert done.writes == []
    assert here.history() == statuses
    assert len(statuses) <= MOST


def test_repeated_evictions_are_reported_once(here: Namespace) -> None:
    here.ready()
    here.evict()
    here.wait_until_ready()
    here.evict()
    here.wait_for_status("Degraded", "Evicted")
    here.wait_until_quiet()
    done = here.since()

    for _ in range(3):
        here.evict()
        here.wait_until_quiet()

    assert here.state_and_reason() == ("Degraded", "Evicted")
    assert done.writes == []
    assert condition(here.get("MyResource"), "Available")["status"] == "False"
    assert here.get("MyResource")["status"]["replicas"] == 1


def test_a_node_that_does_not_respond_is_reported_until_it_is_back(here: Namespace) -> None:
    here.ready(readinessProbe=PROBE)
    (pod,) = here.client.all("Pod", here.name)
    clock, name = Clock(datetime.fromtimestamp(time.time(), UTC)), pod["metadata"]["name"]

    for status, expected in (
        (pod_status.lost(pod, clock), ("Degraded", "NodeLost")),
        ({**pod_status.running(pod, clock), "containerStatuses": waits(pod)}, ("Degraded", "ReplicasUnavailable")),
        (pod["status"], ("Ready", "Available")),
    ):
        here.client.change("Pod", here.name, name, {"status": status}, part="/status")
        here.wait_for_status(*expected)
    assert ("Degraded", "ProbeFailing") not in here.history()


def waits(pod: Json) -> list[Json]:
    """Return the container statuses of *pod* as a kubelet reports them before it runs their probes."""
    return [{**seen, "ready": False} for seen in pod["status"]["containerStatuses"]]
