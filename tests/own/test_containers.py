"""What a kubelet and a container runtime do to containers, and what the status says about it."""

import pytest

from metahook.simulator.objects import Json
from tests.e2e.namespace import PORT, Place

pytestmark = pytest.mark.own

SLEEP = ["sleep", "100000"]
SERVE = "exec nginx -g 'daemon off;'"


def probe(**more: int) -> Json:
    return {"httpGet": {"path": "/", "port": "http"}, "periodSeconds": 1, **more}


FAILURES: dict[str, tuple[Json, str, str]] = {
    "oom": (
        {"command": ["dd", "if=/dev/zero", "of=/dev/null", "bs=1G"], "memory": "32Mi"},
        "OOMKilled",
        "Container main was OOMKilled at its 32Mi limit: raise spec.memory.",
    ),
    "crash": ({"command": ["sh", "-c", "exit 3"]}, "CrashLooping", "Container main keeps exiting with code 3."),
    "absent": (
        {"image": "registry.invalid/none:absent"},
        "ImagePullFailed",
        "Container main can't pull its image: check spec.image, and set spec.imagePullSecrets if the registry is",
    ),
    "no-program": (
        {"command": ["no-such-program"]},
        "RunContainerError",
        "Container main can't be started: check spec.command.",
    ),
    "root": (
        {"securityProfile": "Restricted"},
        "ContainerConfigError",
        "Container main can't be created: its image runs as root or as a user without a numeric ID",
    ),
    "unready": (
        {"command": SLEEP, **PORT, "readinessProbe": probe()},
        "ProbeFailing",
        "Container main is running, but its readiness probe is failing",
    ),
    "impatient": (
        {"command": SLEEP, **PORT, "startupProbe": probe(failureThreshold=2), "terminationGracePeriodSeconds": 1},
        "CrashLooping",
        "Container main keeps exiting with code 137",
    ),
    "sick": (
        {"command": SLEEP, **PORT, "livenessProbe": probe(failureThreshold=2), "terminationGracePeriodSeconds": 1},
        "CrashLooping",
        "Container main keeps exiting with code 137",
    ),
}
"""A spec, its reason and the start of its message, by name."""

WORKING: dict[str, Json] = {
    "slow": {"command": ["sh", "-c", f"sleep 20; {SERVE}"], **PORT, "startupProbe": probe(failureThreshold=60)},
    "probed": {**PORT, "readinessProbe": probe(), "livenessProbe": probe()},
}


@pytest.fixture(scope="module", autouse=True)
def _made(here: Place, images: tuple[str, str]) -> None:
    """Create all MyResources at once: they fail side by side."""
    for name, (spec, _, _) in FAILURES.items():
        here.make(name, **{"image": images[0], **spec})
    for name, spec in WORKING.items():
        here.make(name, image=images[0], **spec)


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_a_reason_with_a_message(here: Place, name: str, patience: float) -> None:
    _, reason, message = FAILURES[name]

    here.eventually(
        lambda: here.state_and_reason(name)[1] == reason and here.message(name).startswith(message), patience
    )


@pytest.mark.parametrize("name", WORKING)
def test_what_starts_is_ready(here: Place, name: str, patience: float) -> None:
    here.wait_for_status("Ready", "Available", name, patience)


def test_a_container_that_starts_slowly_is_not_ready_before_it_serves(here: Place, patience: float) -> None:
    here.wait_for_status("Ready", "Available", "slow", patience)
    (uid,) = here.pods("slow")

    (pod,) = (item for item in here.client.all("Pod", here.name) if item["metadata"]["uid"] == uid)
    assert pod["status"]["containerStatuses"][0]["restartCount"] == 0
    assert ("Building", "RollingOut") in here.history("slow")


def test_the_message_of_an_oom_kill_says_what_ends_it(here: Place, patience: float) -> None:
    here.change("oom", command=None, memory="128Mi")

    here.wait_for_status("Ready", "Available", "oom", patience)
