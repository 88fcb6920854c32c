"""Pods explain on the real thing: each cause has one message, and what Pods go through costs no write.

The stand-in for the kubelet leaves Pods of the image ``slow`` alone; here they lead the lives of the simulator's Pods.
"""

import time
from datetime import UTC, datetime
from itertools import islice

import pytest

from app.simulator.clock import Clock
from app.simulator.controllers.fate import Fate, Times
from app.simulator.controllers.life import life
from app.simulator.metacontroller.settings import Mode
from app.simulator.objects import Json
from tests.e2e.figures import Figures
from tests.e2e.namespace import Namespace
from tests.e2e.said import condition

HOUR = 3600
PROBE = {"exec": {"command": ["ready"]}, "periodSeconds": 1, "failureThreshold": 1}
ENV = [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}]

CAUSES = {
    Fate.BAD_IMAGE: ("ImagePullFailed", "check spec.image"),
    Fate.CONFIG_ERROR: ("ContainerConfigError", "key password of Secret db does not exist"),
    Fate.OOM: ("OOMKilled", "OOMKilled at 64Mi: raise spec.memory."),
    Fate.CRASH: ("CrashLooping", "with exit code 1. See: kubectl logs"),
    Fate.UNSCHEDULABLE: ("Unschedulable", "spec.memory"),
    Fate.UNREADY: ("ProbeFailing", "check spec.readinessProbe"),
}
each_cause = pytest.mark.parametrize("fate", CAUSES, ids=lambda fate: fate.value)


class Life:
    """The life of the only new Pod, by a *fate*; its containers start so many seconds *ago*."""

    def __init__(self, here: Namespace, fate: Fate, ago: float) -> None:
        self._here = here
        self._clock = Clock(datetime.fromtimestamp(time.time() - ago, UTC))
        (pod,) = (item for item in here.client.all("Pod", here.name) if not item["status"].get("conditions"))
        self._name = pod["metadata"]["name"]
        self._rest = life(pod, fate, Times())

    def goes_on(self, steps: int) -> None:
        """Tell what comes next, so many times, each once all has come to rest."""
        for news in islice(self._rest, steps):
            pod = self._here.get("Pod", self._name)
            self._write(news.status(pod, self._clock))
            self._here.is_still(0.3)

    def _write(self, status: Json) -> None:
        self._here.client.change("Pod", self._here.name, self._name, {"status": status}, part="/status")


def begun(here: Namespace, fate: Fate, ago: float = HOUR) -> Life:
    """Return the life of the Pod of a new MyResource."""
    here.make(image="nginx:slow", memory="64Mi", env=ENV, readinessProbe=PROBE)
    here.is_said("Building", "RollingOut")
    here.is_still()
    return Life(here, fate, ago)


@each_cause
def test_a_cause_is_said_once_however_often_the_pod_changes(
    here: Namespace, fate: Fate, figures: Figures, mode: Mode
) -> None:
    reason, words = CAUSES[fate]
    new = begun(here, fate, ago=HOUR if fate is Fate.UNREADY else 0)
    new.goes_on(5)
    here.is_said("Building", reason)
    assert words in here.message()

    asked, done = len(here.exchanges()), here.since()
    new.goes_on(9)

    figures.note(f"hook calls, Pods change: {fate.value}", mode, len(here.exchanges()) - asked)
    figures.note(f"status writes, Pods change: {fate.value}", mode, done.statuses)
    assert done.writes == []
    assert here.touched().writes == []


@each_cause
def test_a_cause_stays_when_the_rollout_is_late_and_goes_with_another_image(here: Namespace, fate: Fate) -> None:
    here.ready(image="nginx:1.27", memory="64Mi", env=ENV, readinessProbe=PROBE, progressDeadlineSeconds=4)
    here.change(image="nginx:slow")
    here.is_said("Building", "RollingOut")
    here.is_still()
    Life(here, fate, HOUR if fate is Fate.UNREADY else 0).goes_on(6)

    here.is_said("Failed", CAUSES[fate][0])
    assert condition(here.get("MyResource"), "Stalled")["reason"] == CAUSES[fate][0]
    assert condition(here.get("MyResource"), "Available")["status"] == "True"
    here.change(image="nginx:1.28")

    here.is_ready()


def test_a_probe_that_had_its_time_is_said_though_nothing_happens(here: Namespace) -> None:
    begun(here, Fate.UNREADY, ago=0).goes_on(2)
    assert here.says() == ("Building", "RollingOut")
    versions = len(here.client.all("Pod", here.name))

    here.is_said("Building", "ProbeFailing")

    assert versions == 1


def test_pods_of_the_image_from_before_are_not_blamed_on_the_new_one(here: Namespace) -> None:
    here.make(image="nginx:crash")
    here.is_said("Building", "CrashLooping")

    here.change(image="nginx:slow")
    here.is_said("Building", "RollingOut")
    here.is_still()

    assert here.says() == ("Building", "RollingOut")


def test_going_back_to_the_image_from_before_looks_at_its_pods(here: Namespace) -> None:
    here.ready(image="nginx:1.27", replicas=2)
    here.change(image="nginx:bad")
    here.is_said("Building", "ImagePullFailed")

    here.change(image="nginx:1.27")

    here.is_ready()
    assert ("Building", "CrashLooping") not in here.history()


def test_an_unwell_sidecar_is_named_as_anothers(here: Namespace) -> None:
    begun(here, Fate.RUNS)
    (pod,) = here.client.all("Pod", here.name)
    proxy = {"name": "proxy", "image": "proxy:1", "imageID": "", "ready": False, "restartCount": 0}
    state = {"waiting": {"reason": "ErrImagePull", "message": "no such image"}}
    status = {"conditions": [], "initContainerStatuses": [{**proxy, "state": state}]}

    here.client.change("Pod", here.name, pod["metadata"]["name"], {"status": status}, part="/status")

    here.is_said("Building", "ImagePullFailed")
    assert "Container proxy, which is not this MyResource's own," in here.message()
