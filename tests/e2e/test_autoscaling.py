"""Autoscaling, with the real controller of HorizontalPodAutoscalers. The cluster has no metrics."""

import time
from contextlib import nullcontext
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

import pytest

from metahook.envtest.client import Refused
from metahook.envtest.process import Process
from metahook.simulator.clock import Clock
from metahook.simulator.controllers import pod_status
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.e2e.cluster import stopped
from tests.e2e.fresh import differences
from tests.e2e.namespace import Namespace
from tests.e2e.statuses import condition
from tests.e2e.test_pods import PROBE
from toolkit.slow import short_or_whole

BY_MEMORY: dict[str, Any] = {"maxReplicas": 6, "targetMemoryUtilizationPercentage": 80}
LOOKS = 5
"""Seconds between two looks of the controller of autoscalers; see metahook.envtest.control_plane."""

HPA = "HorizontalPodAutoscaler"
ROLLOUT = ("Ready", "Progressing")
DEPLOYMENT = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web-deployment"}


def scale(here: Namespace, replicas: int) -> None:
    """Scale the Deployment as the controller of autoscalers does."""
    change, manager = {"spec": {"replicas": replicas}}, "kube-controller-manager"
    here.client.change("Deployment", here.name, "web-deployment", change, part="/scale", manager=manager)
    here.eventually(lambda: here.available()[-1] == replicas and len(here.pods()) == replicas)
    here.wait_until_quiet()


def autoscaling(here: Namespace) -> tuple[str, str]:
    found = condition(here.get("MyResource"), "AutoscalingActive")
    return found["status"], found["reason"]


def test_replicas_are_handed_over_and_back_and_it_is_ready_while_it_scales(here: Namespace) -> None:
    here.ready(replicas=3)
    pods = here.pods()

    here.change(replicas=None, autoscaling=BY_MEMORY, podDisruptionBudget="Auto")
    here.wait_until_ready()
    here.eventually(lambda: autoscaling(here) == ("False", "MetricsUnavailable"))
    assert here.pods() == pods
    assert differences(here) == ["Deployment web-deployment.replicas: 3, not 1"]
    assert here.touched().writes == []

    generation = here.get("MyResource")["metadata"]["generation"]
    ready, done = condition(here.get("MyResource"), "Ready"), here.since()
    budget = here.get("PodDisruptionBudget", "web")["metadata"]["uid"]
    history = here.history()
    for replicas in (1, 4):
        scale(here, replicas)
        here.wait_until_quiet(6)  # the autoscaler looks once more
        assert here.get("Deployment")["spec"]["replicas"] == replicas
        assert here.get("MyResource")["status"]["replicas"] == replicas
        assert here.touched().writes == []
    assert here.history() == history
    assert condition(here.get("MyResource"), "Ready") == ready
    assert here.get("PodDisruptionBudget", "web")["metadata"]["uid"] == budget
    assert done.statuses <= 3 * 4  # on a busy machine, each Pod is seen when it is made, runs and is ready

    here.change(image="nginx:2")  # a rollout keeps the number
    here.wait_until_ready()
    assert len(here.pods()) == 4
    assert here.get("MyResource")["metadata"]["generation"] == generation + 1
    assert here.touched().writes == []

    pods = here.pods()
    here.change(replicas=4, autoscaling=None)
    here.wait_until_ready()
    assert here.find(HPA, "web") is None
    assert here.pods() == pods
    assert differences(here) == []
    assert here.touched().writes == []
    assert "override" not in here.get("MyResource")["status"]


@pytest.mark.each_mode
def test_the_first_report_of_an_autoscaler_costs_one_status_and_then_nothing_is_written(
    here: Namespace, mode: Mode
) -> None:
    here.ready(replicas=3)
    done = here.since()
    here.change(replicas=None, autoscaling=BY_MEMORY)
    here.wait_until_ready()
    here.eventually(lambda: autoscaling(here) == ("False", "MetricsUnavailable"))
    here.wait_until_quiet()

    assert sorted(each.split()[1] for each in done.children) == ["deployments", "horizontalpodautoscalers"]
    statuses = [version.item["status"] for version in here.versions("MyResource") if "status" in version.item]
    assert len([each for each in statuses if each.get("readyGeneration") == 2]) <= 2  # Ready, and what it reports
    assert done.useless == (["patch horizontalpodautoscalers web"] if mode == "server-side-apply" else [])
    idle = here.since()
    time.sleep(2 * LOOKS)
    assert idle.writes == idle.useless == []


def waits(pod: Json) -> list[Json]:
    """Return the container statuses of *pod* as a kubelet reports them before it runs their probes."""
    return [{**seen, "ready": False} for seen in pod["status"]["containerStatuses"]]


@pytest.mark.parametrize("at_once", [False, True], ids=["one by one", "at once"])
def test_lost_pods_are_reported_although_their_number_may_change(
    here: Namespace, metacontroller: Process, *, at_once: bool
) -> None:
    here.ready(autoscaling=BY_MEMORY, readinessProbe=PROBE)
    scale(here, 6)
    clock = Clock(datetime.fromtimestamp(time.time(), UTC))

    with stopped(metacontroller) if at_once else nullcontext():
        for pod in here.client.all("Pod", here.name)[1:]:
            lost = {**pod_status.lost(pod, clock), "containerStatuses": waits(pod)}
            here.client.change("Pod", here.name, pod["metadata"]["name"], {"status": lost}, part="/status")
        here.eventually(lambda: here.get("Deployment")["status"].get("availableReplicas") == 1)

    here.eventually(lambda: here.state_and_reason()[0] == "Degraded", within=10)
    here.wait_until_quiet()
    assert condition(here.get("MyResource"), "Available")["status"] == "False"
    assert not at_once or here.get("MyResource")["status"]["readyReplicas"] == 1
    assert here.get("Deployment")["spec"]["replicas"] == 6


@pytest.mark.each_mode
@pytest.mark.parametrize("feature", ["autoscaling", "rollback", "both"])
def test_in_each_rollout_ready_becomes_true_once_and_no_record_of_ours_is_news(here: Namespace, feature: str) -> None:
    every: dict[str, Any] = {"autoscaling": BY_MEMORY, "rollback": {"mode": "LastReady"}}
    here.ready(**(every if feature == "both" else {feature: every[feature]}))
    rollouts = short_or_whole(4, 20)
    for number in range(rollouts):
        here.change(image=f"nginx:{number}")
        here.wait_until_ready()

    conditions = [
        (version.item["metadata"]["generation"], *(condition(version.item, kind)["status"] for kind in ROLLOUT))
        for version in here.versions("MyResource")
        if version.item.get("status", {}).get("observedGeneration") == version.item["metadata"]["generation"]
    ]
    changes = [each for each, _ in groupby(conditions)]
    for generation in range(2, rollouts + 2):
        found = [ready_progressing for at, *ready_progressing in changes if at == generation]
        assert [ready for ready, _ in groupby(each[0] for each in found)] == ["False", "True"], found
        assert [value for value, _ in groupby(each[1] for each in found)] == ["Unknown", "True"], found


def test_other_autoscalers_are_left_alone_and_reported(here: Namespace) -> None:
    spec = {"scaleTargetRef": DEPLOYMENT, "minReplicas": 3, "maxReplicas": 5}
    here.put({"apiVersion": "autoscaling/v2", "kind": HPA, "metadata": {"name": "web"}, "spec": spec})
    here.make(autoscaling=BY_MEMORY)
    here.wait_for_status("Failed", "NameConflict")

    assert "remove spec.autoscaling" in here.message()
    assert here.get(HPA, "web")["spec"]["minReplicas"] == 3
    here.delete(HPA, "web")
    here.wait_until_ready()
    assert here.get(HPA, "web")["spec"]["maxReplicas"] == 6

    here.put({"apiVersion": "autoscaling/v2", "kind": HPA, "metadata": {"name": "other"}, "spec": spec})
    here.eventually(lambda: autoscaling(here) == ("False", "AmbiguousSelector"))
    here.wait_until_quiet()
    assert here.state_and_reason() == ("Ready", "Available")
    assert here.touched().writes == []
    here.delete(HPA, "other")
    here.eventually(lambda: autoscaling(here) == ("False", "MetricsUnavailable"))

    with pytest.raises(Refused, match="replicas must not be set beside autoscaling"):
        here.client.change("MyResource", here.name, "web", {"spec": {"replicas": 3}}, part="/scale")
