"""Causes: what the status of a Pod tells, and that it is said in the same words however often its state changes."""

from typing import Any

import pytest

from tests.requests.builders import condition
from tests.requests.pods import (
    HEALTHY,
    UNSCHEDULABLE,
    ago,
    answered,
    container,
    crashing,
    ended,
    pod,
    running,
    said,
    waiting,
)

Json = dict[str, Any]

CRASH = (
    "CrashLooping",
    (
        "Container main keeps exiting with code 1. "
        "See: kubectl logs -l myresource=web -n default -c main --previous --ignore-errors"
    ),
)
OOM = ("OOMKilled", "Container main was OOMKilled at its 128Mi limit: raise spec.memory.")
NO_IMAGE = (
    "ImagePullFailed",
    (
        "Container main can't pull its image: "
        "check spec.image, and set spec.imagePullSecrets if the registry is private."
    ),
)
NOT_READY = (
    "ProbeFailing",
    (
        "Container main is running, but its readiness probe is failing: "
        "check spec.readinessProbe, and how the application answers it."
    ),
)
ROLLING = ("RollingOut", "The Deployment is starting or replacing Pods.")
OTHERS = "Container proxy, which is not part of this MyResource,"
ASK = "check the sidecar injector or policy that adds this container"
REFUSED = "the node refuses its configuration. See: kubectl describe pods -l myresource=web -n default"
PROBE = {"httpGet": {"port": 80}}


@pytest.mark.parametrize(
    "reason",
    [
        "ErrImagePull",
        "ImagePullBackOff",
        "InvalidImageName",
        "RegistryUnavailable",
        "ImageInspectError",
        "SignatureValidationFailed",
    ],
)
def test_an_image_that_can_not_be_pulled_is_said_in_the_same_words_whatever_the_kubelet_calls_it(reason: str) -> None:
    assert said(pod(container(state=waiting(reason, 'Back-off pulling image "nginx:bad"')))) == NO_IMAGE


@pytest.mark.parametrize("made", [waiting("ContainerCreating"), waiting("PodInitializing"), running(), {}], ids=str)
def test_a_container_that_has_not_failed_is_no_cause(made: Json) -> None:
    assert said(pod(container(state=made))) == ROLLING


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(crashing(restarts=1), id="waiting for its second restart"),
        pytest.param(container(state=waiting("PostStartHookError"), last=ended(1), restarts=1), id="by postStart"),
        pytest.param(container(state=waiting("RunContainerError"), last=ended(1), restarts=1), id="it can't start"),
        pytest.param(container(state=running(), last=ended(1), restarts=2), id="running"),
        pytest.param(container(state=ended(1), last=ended(1), restarts=2), id="ended"),
        pytest.param(crashing(restarts=2), id="waiting again"),
        pytest.param(container(state=running(599), last=ended(1), restarts=999), id="running for a while"),
        pytest.param(container(state=ended(1), restarts=1), id="what was before is not known"),
        pytest.param(container(state={"running": {}}, last=ended(1), restarts=2), id="since an unknown time"),
    ],
)
def test_a_crash_loop_is_said_in_the_same_words_in_all_its_states(seen: Json) -> None:
    assert said(pod(seen)) == CRASH


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(container(state=ended(1)), id="just ended"),
        pytest.param(container(state=running(), last=ended(1), restarts=1), id="started again"),
        pytest.param(container(state=running(600), last=ended(1), restarts=7), id="it has run for ten minutes"),
        pytest.param(container(state=waiting("ContainerCreating"), last=ended(1), restarts=1), id="made anew"),
        pytest.param(container(state=running(), last=ended(1), restarts=1, ready=True), id="ready again"),
        pytest.param(container(state=running(600), last=ended(1), restarts=7, ready=True), id="ready for ten minutes"),
        pytest.param(container(state=ended(1, ran=600), last=ended(1), restarts=7), id="it had run for ten minutes"),
        pytest.param(container(state=running(), last=ended(1, ran=600), restarts=7, ready=True), id="and runs again"),
    ],
)
def test_what_ended_once_or_runs_well_is_no_crash_loop(seen: Json) -> None:
    assert said(pod(seen)) == ROLLING


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(container(state=ended(137, "OOMKilled")), id="the first time"),
        pytest.param(container(state=running(), last=ended(137, "OOMKilled"), restarts=1), id="started again"),
        pytest.param(crashing(137, "OOMKilled"), id="waiting"),
    ],
)
def test_too_much_memory_is_said_in_the_same_words_from_the_first_time_on(seen: Json) -> None:
    assert said(pod(seen)) == OOM


def test_a_pod_that_no_node_takes_is_said_without_the_schedulers_counts() -> None:
    reason, message = said(UNSCHEDULABLE)

    assert reason == "Unschedulable"
    assert message.startswith("No node fits: not enough free CPU or memory")
    assert "0/3" not in message


@pytest.mark.parametrize("other", [{"reason": "SchedulingGated"}, {"status": "True"}, {"type": "Ready"}], ids=str)
def test_another_condition_is_no_such_cause(other: Json) -> None:
    (condition,) = UNSCHEDULABLE["status"]["conditions"]

    assert said(pod(status={"phase": "Pending", "conditions": [{**condition, **other}]})) == ROLLING


def test_nothing_is_said_of_a_pod_without_a_status() -> None:
    without = {name: value for name, value in pod().items() if name != "status"}

    assert said(without) == ROLLING


@pytest.mark.parametrize(
    ("seen", "spec"),
    [
        pytest.param(running(40), {"readinessProbe": PROBE}, id="by default"),
        pytest.param(running(20), {"readinessProbe": {**PROBE, "failureThreshold": 1}}, id="one failure"),
        pytest.param(
            running(29), {"readinessProbe": {**PROBE, "initialDelaySeconds": 4, "periodSeconds": 5}}, id="a delay"
        ),
        pytest.param(running(60), {"readinessProbe": {**PROBE, "successThreshold": 5}}, id="several successes"),
        pytest.param(
            running(120),
            {"readinessProbe": {**PROBE, "initialDelaySeconds": 60, "successThreshold": 5}},
            id="several successes after a delay",
        ),
        pytest.param(running(130), {"readinessProbe": {**PROBE, "timeoutSeconds": 40}}, id="answers that take long"),
        pytest.param(running(70), {"readinessProbe": PROBE, "startupProbe": PROBE}, id="a startup probe before it"),
    ],
)
def test_a_probe_fails_once_it_had_all_the_time_that_it_allows_and_ten_seconds(seen: Json, spec: Json) -> None:
    started = seen["running"]["startedAt"]
    later = {"running": {"startedAt": started[:-3] + f"{int(started[-3:-1]) + 1:02}Z"}}

    assert said(pod(container(state=seen)), **spec) == NOT_READY
    assert said(pod(container(state=later)), **spec) == ROLLING


@pytest.mark.parametrize(
    ("seen", "spec"),
    [
        pytest.param(container(state=running(900)), {}, id="no probe"),
        pytest.param(container(state=running(900)), {"startupProbe": PROBE}, id="a startup probe alone"),
        pytest.param(
            container(state=running(900), started=False),
            {"readinessProbe": PROBE, "startupProbe": PROBE},
            id="the startup probe goes on",
        ),
        pytest.param(container(state={"running": {}}), {"readinessProbe": PROBE}, id="unknown since when"),
        pytest.param(container(state=waiting("ContainerCreating")), {"readinessProbe": PROBE}, id="it does not run"),
    ],
)
def test_a_readiness_probe_is_not_blamed_when_it_was_not_asked(seen: Json, spec: Json) -> None:
    assert said(pod(seen), **spec) == ROLLING


@pytest.mark.parametrize(("seconds", "expected"), [(9, ROLLING), (10, NOT_READY)])
def test_a_probe_is_not_blamed_before_a_kubelet_that_is_back_has_asked_it(
    seconds: float, expected: tuple[str, str]
) -> None:
    """It reports its containers as not ready at first, however long they have run."""
    changed = {"type": "ContainersReady", "status": "False", "lastTransitionTime": ago(seconds)}
    status = {"phase": "Running", "conditions": [changed], "containerStatuses": [container(state=running(3000))]}

    assert said(pod(status=status), readinessProbe=PROBE) == expected
    if expected is ROLLING:
        assert answered(pod(status=status), readinessProbe=PROBE)["resyncAfterSeconds"] == 1


def test_a_sync_is_asked_for_when_the_probe_has_had_its_time() -> None:
    early, late = (pod(container(state=running(seconds)), name=str(seconds)) for seconds in (15, 9))

    assert answered(late, early, readinessProbe=PROBE)["resyncAfterSeconds"] == 25


def test_a_sync_is_asked_for_when_a_crash_is_forgiven() -> None:
    seen = container(state=running(100), last=ended(1), restarts=2)

    assert answered(pod(seen))["resyncAfterSeconds"] == 500


def test_no_sync_is_asked_for_when_time_changes_nothing() -> None:
    waits, runs = crashing(), container(state=running(15))

    assert "resyncAfterSeconds" not in answered(pod(waits), readinessProbe=PROBE)
    assert "resyncAfterSeconds" not in answered(pod(waits), pod(runs, name="b"), readinessProbe=PROBE)


def test_an_init_container_is_named_as_anothers() -> None:
    seen = pod(container(), init=(crashing(name="proxy"),))

    assert said(seen) == ("CrashLooping", CRASH[1].replace("Container main", OTHERS).replace("-c main", "-c proxy"))


def test_an_init_container_that_is_run_again_is_looked_at_although_it_once_ended_well() -> None:
    again = pod(init=(container("proxy", waiting("ImagePullBackOff"), ended(0, "Completed"), restarts=1),))

    assert said(again)[0] == "ImagePullFailed"


LOOP = [
    pytest.param(crashing(), id="waiting"),
    pytest.param(container(state=running(), last=ended(1), restarts=4), id="running"),
    pytest.param(container(state=running(), last=ended(1), restarts=4, ready=True), id="ready"),
    pytest.param(container(state=running(599), last=ended(1), restarts=2, ready=True), id="ready for long"),
    pytest.param(container(state=ended(1), last=ended(1), restarts=4), id="ended"),
]
"""A crash loop without a readiness probe: while it runs, it is ready."""


@pytest.mark.parametrize("available", [0, 1])
@pytest.mark.parametrize("seen", LOOP)
def test_a_crash_loop_is_not_ready_also_while_its_deployment_is_complete(seen: Json, available: int) -> None:
    answer = answered(pod(seen), status={"availableReplicas": available})

    assert (condition(answer)["reason"], condition(answer)["message"]) == CRASH


@pytest.mark.parametrize("seen", LOOP)
def test_a_crash_loop_of_a_sidecar_beside_what_is_not_ready_is_the_same(seen: Json) -> None:
    pods = pod(container(state=waiting("PodInitializing")), init=({**seen, "name": "proxy"},))

    assert said(pods)[0] == "CrashLooping"


def test_what_is_not_ready_is_said_before_what_is() -> None:
    loop = container("proxy", running(), ended(1), restarts=4, ready=True)
    unready = container(state=running(900))

    assert said(pod(unready, loop), readinessProbe=PROBE) == NOT_READY


def test_of_containers_with_one_cause_the_own_is_named() -> None:
    assert said(pod(crashing(name="a-proxy"), crashing())) == CRASH


@pytest.mark.parametrize("state", [waiting("CrashLoopBackOff"), running(), ended(0, "Completed")], ids=str)
def test_a_sidecar_that_ends_well_again_and_again_is_a_crash_loop(state: Json) -> None:
    seen = container("proxy", state, ended(0, "Completed"), restarts=20)

    assert said(pod(init=(seen,), sidecars=("proxy",)))[0] == "CrashLooping"
    assert said(pod(init=(seen,))) == ROLLING  # its Pod was restarted: it does its work again


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(container(state=ended(0, "Completed"), last=ended(1), restarts=5, ready=True), id="done"),
        pytest.param(container(state=ended(0, "Completed")), id="just done"),
        pytest.param(container(state=running(9000)), id="it takes long"),
        pytest.param(container(state=running(600), last=ended(1), restarts=5, ready=True), id="a sidecar that runs"),
        pytest.param(container(last=ended(1), restarts=5, ready=True), id="unknown since when"),
    ],
)
def test_an_init_container_that_does_its_part_is_no_cause(seen: Json) -> None:
    assert said(pod(container(state=waiting("PodInitializing")), init=({**seen, "name": "proxy"},))) == ROLLING


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        pytest.param(
            container("proxy", waiting("ErrImagePull")),
            (
                "ImagePullFailed",
                f"{OTHERS} can't pull its image: {ASK}.",
            ),
            id="image",
        ),
        pytest.param(
            crashing(137, "OOMKilled", name="proxy"),
            ("OOMKilled", f"{OTHERS} was OOMKilled: {ASK}."),
            id="memory",
        ),
        pytest.param(
            container("proxy", waiting("CreateContainerConfigError", 'secret "a" not found')),
            (
                "ContainerConfigError",
                f"{OTHERS} can't be created: {REFUSED}",
            ),
            id="configuration",
        ),
        pytest.param(
            container("proxy", running(40)),
            (
                "ProbeFailing",
                f"{OTHERS} is running, but its readiness probe is failing: {ASK}.",
            ),
            id="probe",
        ),
    ],
)
def test_a_sidecar_is_named_as_anothers(seen: Json, expected: tuple[str, str]) -> None:
    assert said(pod(HEALTHY, seen)) == expected


def test_a_clock_that_jumps_is_no_error() -> None:
    for started in ("2999-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", ago(-9), "soon", ""):
        seen = container(state={"running": {"startedAt": started}}, last=ended(1), restarts=2)
        assert said(pod(seen), readinessProbe=PROBE)[0] in ("CrashLooping", "ProbeFailing")
