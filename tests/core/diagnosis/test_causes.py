"""Causes: what the status of a Pod tells, and that it is said in the same words however often its state changes."""

from typing import Any

import pytest

from tests.requests.builders import Json, condition
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


BACK_OFF = 'Back-off pulling image "nginx:bad"'
PULLS = """
    ErrImagePull ImagePullBackOff InvalidImageName RegistryUnavailable ImageInspectError SignatureValidationFailed
"""
OOM_ENDED = ended(137, "OOMKilled")
STARTS = container(state=waiting("PodInitializing"))
(NO_NODE,) = UNSCHEDULABLE["status"]["conditions"]


def again(**states: Any) -> Json:
    """Return a container that has exited with code 1 before, and is now in another of its *states*."""
    return container(**{"last": ended(1), "restarts": 2, **states})


def pending(**other: str) -> Json:
    """Return a Pod that no node takes but for the *other* fields of its condition."""
    return pod(status={"phase": "Pending", "conditions": [{**NO_NODE, **other}]})


def before(seen: Json, **more: Any) -> Json:
    """Return a Pod with an init container, or a sidecar, as it is *seen*."""
    return pod(STARTS, init=({**seen, "name": "proxy"},), **more)


SAID: dict[tuple[str, str], dict[str, Json]] = {
    NO_IMAGE: {name: pod(container(state=waiting(name, BACK_OFF))) for name in PULLS.split()},
    CRASH: {
        "waiting for its second restart": pod(crashing(restarts=1)),
        "by postStart": pod(again(state=waiting("PostStartHookError"), restarts=1)),
        "it can't start": pod(again(state=waiting("RunContainerError"), restarts=1)),
        "running": pod(again(state=running())),
        "ended": pod(again(state=ended(1))),
        "waiting again": pod(crashing(restarts=2)),
        "running for a while": pod(again(state=running(599), restarts=999)),
        "what was before is not known": pod(container(state=ended(1), restarts=1)),
        "since an unknown time": pod(again(state={"running": {}})),
        "of the own container first": pod(crashing(name="a-proxy"), crashing()),
    },
    OOM: {
        "the first time": pod(container(state=OOM_ENDED)),
        "started again": pod(container(state=running(), last=OOM_ENDED, restarts=1)),
        "waiting": pod(crashing(137, "OOMKilled")),
    },
    (CRASH[0], CRASH[1].replace("Container main", OTHERS).replace("-c main", "-c proxy")): {
        "an init container": before(crashing()),
    },
    ("ImagePullFailed", f"{OTHERS} can't pull its image: {ASK}."): {
        "a sidecar": pod(HEALTHY, container("proxy", waiting("ErrImagePull"))),
        "an init container that once ended well": before(
            container(state=waiting("ImagePullBackOff"), last=ended(0, "Completed"), restarts=1)
        ),
    },
    ("OOMKilled", f"{OTHERS} was OOMKilled: {ASK}."): {
        "a sidecar": pod(HEALTHY, crashing(137, "OOMKilled", name="proxy")),
    },
    ("ContainerConfigError", f"{OTHERS} can't be created: {REFUSED}"): {
        "a sidecar": pod(HEALTHY, container("proxy", waiting("CreateContainerConfigError", 'secret "a" not found'))),
    },
    ("ProbeFailing", f"{OTHERS} is running, but its readiness probe is failing: {ASK}."): {
        "a sidecar": pod(HEALTHY, container("proxy", running(40))),
    },
    ROLLING: {
        "not made yet": pod(container(state=waiting("ContainerCreating"))),
        "before its init containers": pod(STARTS),
        "it runs": pod(container(state=running())),
        "no state": pod(container(state={})),
        "no status": {name: value for name, value in pod().items() if name != "status"},
        "gated": pending(reason="SchedulingGated"),
        "scheduled": pending(status="True"),
        "another condition": pending(type="Ready"),
        "just ended": pod(container(state=ended(1))),
        "started again": pod(again(state=running(), restarts=1)),
        "it has run for ten minutes": pod(again(state=running(600), restarts=7)),
        "made anew": pod(again(state=waiting("ContainerCreating"), restarts=1)),
        "ready again": pod(again(state=running(), restarts=1, ready=True)),
        "ready for ten minutes": pod(again(state=running(600), restarts=7, ready=True)),
        "it had run for ten minutes": pod(again(state=ended(1, ran=600), restarts=7)),
        "and runs again": pod(again(state=running(), last=ended(1, ran=600), restarts=7, ready=True)),
        "an init container, done": before(again(state=ended(0, "Completed"), restarts=5, ready=True)),
        "an init container, just done": before(container(state=ended(0, "Completed"))),
        "an init container that takes long": before(container(state=running(9000))),
        "a sidecar that runs": before(again(state=running(600), restarts=5, ready=True)),
        "an init container, unknown since when": before(again(restarts=5, ready=True)),
    },
}


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        pytest.param(seen, expected, id=f"{expected[0]}: {name}")
        for expected, pods in SAID.items()
        for name, seen in pods.items()
    ],
)
def test_a_cause_is_said_in_the_same_words_whatever_state_shows_it(seen: Json, expected: tuple[str, str]) -> None:
    assert said(seen) == expected


@pytest.mark.parametrize("state", [waiting("CrashLoopBackOff"), running(), ended(0, "Completed")], ids=str)
def test_a_sidecar_that_ends_well_again_and_again_is_a_crash_loop(state: Json) -> None:
    seen = container("proxy", state, ended(0, "Completed"), restarts=20)

    assert said(pod(init=(seen,), sidecars=("proxy",)))[0] == "CrashLooping"
    assert said(pod(init=(seen,))) == ROLLING  # its Pod was restarted: it does its work again


def test_a_pod_that_no_node_takes_is_said_without_the_schedulers_counts() -> None:
    reason, message = said(UNSCHEDULABLE)

    assert reason == "Unschedulable"
    assert message.startswith("No node fits: not enough free CPU or memory")
    assert "0/3" not in message


def probed(**fields: int) -> Json:
    return {"readinessProbe": {**PROBE, **fields}}


@pytest.mark.parametrize(
    ("seen", "spec"),
    [
        pytest.param(running(40), probed(), id="by default"),
        pytest.param(running(20), probed(failureThreshold=1), id="one failure"),
        pytest.param(running(29), probed(initialDelaySeconds=4, periodSeconds=5), id="a delay"),
        pytest.param(running(60), probed(successThreshold=5), id="several successes"),
        pytest.param(running(120), probed(initialDelaySeconds=60, successThreshold=5), id="successes after a delay"),
        pytest.param(running(130), probed(timeoutSeconds=40), id="answers that take long"),
        pytest.param(running(70), {**probed(), "startupProbe": PROBE}, id="a startup probe before it"),
    ],
)
def test_a_probe_fails_once_it_had_all_the_time_that_it_allows_and_ten_seconds(seen: Json, spec: Json) -> None:
    started = seen["running"]["startedAt"]
    later = {"running": {"startedAt": started[:-3] + f"{int(started[-3:-1]) + 1:02}Z"}}

    assert said(pod(container(state=seen)), **spec) == NOT_READY
    assert said(pod(container(state=later)), **spec) == ROLLING


ASKED: Json = {"readinessProbe": PROBE}
LOOPS = container("proxy", running(), ended(1), restarts=4, ready=True)


RUNS, STARTS_UP = running(900), {"startupProbe": PROBE}


@pytest.mark.parametrize(
    ("seen", "spec", "expected"),
    [
        pytest.param(pod(container(state=RUNS)), {}, ROLLING, id="no probe"),
        pytest.param(pod(container(state=RUNS)), STARTS_UP, ROLLING, id="a startup probe alone"),
        pytest.param(pod(container(state=RUNS, started=False)), {**ASKED, **STARTS_UP}, ROLLING, id="it starts up"),
        pytest.param(pod(container(state={"running": {}})), ASKED, ROLLING, id="unknown since when"),
        pytest.param(pod(container(state=waiting("ContainerCreating"))), ASKED, ROLLING, id="it does not run"),
        pytest.param(pod(container(state=RUNS), LOOPS), ASKED, NOT_READY, id="before what is ready"),
    ],
)
def test_a_readiness_probe_is_blamed_only_when_it_was_asked(seen: Json, spec: Json, expected: tuple[str, str]) -> None:
    assert said(seen, **spec) == expected


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


STARTED = container(state=running(15))


@pytest.mark.parametrize(
    ("containers", "spec", "seconds"),
    [
        pytest.param([STARTED, container(state=running(9))], ASKED, 25, id="the first probe has had its time"),
        pytest.param([container(state=running(100), last=ended(1), restarts=2)], {}, 500, id="a crash is forgiven"),
        pytest.param([crashing()], ASKED, None, id="nothing changes it"),
        pytest.param([crashing(), STARTED], ASKED, None, id="nothing changes it, and another one runs"),
    ],
)
def test_a_sync_is_asked_for_when_time_changes_the_cause(
    containers: list[Json], spec: Json, seconds: int | None
) -> None:
    pods = [pod(each, name=str(number)) for number, each in enumerate(containers)]

    assert answered(*pods, **spec).get("resyncAfterSeconds") == seconds


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
