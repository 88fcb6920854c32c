"""Available and replicas tell of unstable Pods, whatever else keeps the MyResource from being Ready."""

from datetime import timedelta
from typing import Any

import pytest

from tests.requests.builders import NOW, Json, condition, finished, grouped, my_resource, reason, sync
from tests.requests.pods import HEALTHY, ago, container, ended, failed, pod, running, shown

FLAPPING = pod(container(state=running(3), last=ended(1), restarts=3, ready=True))
STABLE = pod(HEALTHY)
FOREIGN = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "namespace": "default"}}


def with_status(deployment: Json, **status: Any) -> Json:
    return {**deployment, "status": {**deployment["status"], **status}}


def deployment_of(parent: Json) -> Json:
    return next(item for item in finished(parent) if item["kind"] == "Deployment")


DEPLOYMENT = deployment_of(my_resource())
CHANGED = my_resource(generation=2, image="nginx:2")
WAITED = {**CHANGED, "status": sync(CHANGED, DEPLOYMENT)["status"]}
SERVED = my_resource(ports=[{"containerPort": 80}])
CONFIGURED = my_resource(envFrom=[{"configMapRef": {"name": "settings"}}])
PAUSED = {**with_status(DEPLOYMENT, updatedReplicas=0), "spec": {**DEPLOYMENT["spec"], "paused": True}}
UNOBSERVED = with_status(DEPLOYMENT, observedGeneration=0)
CONFLICT = grouped(FOREIGN, kinds=("Service",))
MISSING: Json = {"ConfigMap.v1": {}}

SITUATIONS: dict[str, tuple[Json, Json, Json, int]] = {
    "Building": (CHANGED, DEPLOYMENT, {}, 0),
    "NotApplied": (WAITED, DEPLOYMENT, {}, 60),
    "NameConflict": (SERVED, deployment_of(SERVED), CONFLICT, 0),
    "ConfigNotFound": (CONFIGURED, deployment_of(CONFIGURED), MISSING, 0),
    "Paused": (my_resource(), PAUSED, {}, 0),
    "RollingOut": (my_resource(), UNOBSERVED, {}, 0),
}
"""The MyResource, its Deployment, what is related besides Pods, and after how many seconds, by the reason of Ready."""


def answered(situation: str, *pods: Json) -> Json:
    parent, deployment, related, seconds = SITUATIONS[situation]
    return sync(parent, deployment, related={**related, **shown(*pods)}, now=NOW + timedelta(seconds=seconds))


@pytest.mark.parametrize("expected", SITUATIONS)
def test_pods_are_available_if_they_run_and_do_not_flap_whatever_the_reason_of_ready_is(expected: str) -> None:
    flapping, stable = (answered(expected, each) for each in (FLAPPING, STABLE))

    assert reason(flapping) == reason(stable) == expected
    found = [condition(answer, "Available") for answer in (flapping, stable)]
    assert [each["status"] for each in found] == ["False", "True"]
    assert [each["reason"] for each in found] == ["MinimumReplicasUnavailable", "MinimumReplicasAvailable"]


def test_pods_that_just_failed_count_as_replicas_also_while_a_child_is_updated() -> None:
    answer = sync(CHANGED, with_status(DEPLOYMENT, replicas=0), related=shown(failed("Evicted")))

    assert (reason(answer), answer["status"]["replicas"]) == ("Building", 1)


def test_pods_of_a_deleted_myresource_are_not_asked() -> None:
    answer = sync(my_resource(deleting=True), DEPLOYMENT, related=shown(FLAPPING))

    assert condition(answer, "Available")["status"] == "True"


@pytest.mark.parametrize("expected", ["Building", "ConfigNotFound"])
def test_what_flaps_is_looked_at_again_once_its_crash_is_forgiven(expected: str) -> None:
    flapping = pod(container(state=running(590), last=ended(1), restarts=3, ready=True))

    assert answered(expected, flapping)["resyncAfterSeconds"] == 10


def test_old_pods_that_flap_do_not_keep_a_deployment_that_nobody_looks_at_from_being_late() -> None:
    """Failures decide about a deadline only where nothing but Pods keeps the rollout from its end."""
    first = answered("RollingOut", FLAPPING)
    late = my_resource(status=first["status"])
    last = {"terminated": {"exitCode": 1, "startedAt": ago(-588), "finishedAt": ago(-589)}}
    flapping = pod(container(state=running(-590), last=last, restarts=3))

    answer = sync(late, UNOBSERVED, related=shown(flapping), now=NOW + timedelta(seconds=600))

    assert reason(answer) == "ProgressDeadlineExceeded"


@pytest.mark.parametrize(("expected", "waits"), [("Paused", False), ("RollingOut", True)])
def test_a_pause_is_no_time_of_waiting_also_while_pods_flap(expected: str, *, waits: bool) -> None:
    assert ("waiting" in answered(expected, FLAPPING)["status"]) is waits
