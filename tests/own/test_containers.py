"""What a kubelet and a container runtime report of containers that fail, and what the status says about it."""

import pytest

from metahook.simulator.objects import Json
from tests.e2e.namespace import PORT, Place

pytestmark = pytest.mark.own

SLEEP = ["sleep", "100000"]


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


@pytest.fixture(scope="module", autouse=True)
def _made(here: Place, images: tuple[str, str]) -> None:
    """Create all MyResources at once: they fail side by side."""
    for name, (spec, _, _) in FAILURES.items():
        here.make(name, **{"image": images[0], **spec})


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_a_reason_with_a_message(here: Place, name: str, patience: float) -> None:
    _, reason, message = FAILURES[name]

    here.eventually(
        lambda: here.state_and_reason(name)[1] == reason and here.message(name).startswith(message), patience
    )
