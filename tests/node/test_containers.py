"""What a real kubelet and container runtime do to containers, and what the status says about it."""

import pytest

from metahook.simulator.objects import Json
from tests.e2e.namespace import Place
from tests.node.images import APP
from tests.node.layout import PRIVATE

pytestmark = pytest.mark.tools

PORT: Json = {"ports": [{"name": "http", "containerPort": 8080}]}


def probe(**more: int) -> Json:
    return {"httpGet": {"path": "/", "port": "http"}, "periodSeconds": 1, **more}


NO_IMAGE = (
    "Container main can't pull its image: check spec.image, and set spec.imagePullSecrets if the registry is private."
)
FAILURES: dict[str, tuple[Json, str, str]] = {
    "oom": (
        {"image": f"{APP}:oom", "memory": "16Mi"},
        "OOMKilled",
        "Container main was OOMKilled at its 16Mi limit: raise spec.memory.",
    ),
    "crash": ({"image": f"{APP}:crash"}, "CrashLooping", "Container main keeps exiting with code 3."),
    "absent": ({"image": "nginx:no-such-tag"}, "ImagePullFailed", NO_IMAGE),
    "private": ({"image": f"{PRIVATE}/app:1"}, "ImagePullFailed", NO_IMAGE),
    "no-program": (
        {"image": "nginx:1.27", "command": ["no-such-program"]},
        "RunContainerError",
        "Container main can't be started: check spec.command.",
    ),
    "root": (
        {"image": "nginx:1.27", "securityProfile": "Restricted"},
        "ContainerConfigError",
        "Container main can't be created: its image runs as root or as a user without a numeric ID",
    ),
    "unready": (
        {"image": f"{APP}:never", **PORT, "readinessProbe": probe()},
        "ProbeFailing",
        "Container main is running, but its readiness probe is failing",
    ),
    "impatient": (
        {
            "image": f"{APP}:never",
            **PORT,
            "startupProbe": probe(failureThreshold=2),
            "terminationGracePeriodSeconds": 1,
        },
        "CrashLooping",
        "Container main keeps exiting with code 137",
    ),
    "sick": (
        {
            "image": f"{APP}:sick",
            **PORT,
            "livenessProbe": probe(failureThreshold=2),
            "terminationGracePeriodSeconds": 1,
        },
        "CrashLooping",
        "Container main keeps exiting with code 137",
    ),
}
"""A spec, its reason and the begin of its message, by name."""

WORKING: dict[str, Json] = {
    "slow": {"image": f"{APP}:slow", **PORT, "startupProbe": probe(failureThreshold=60)},
    "probed": {"image": f"{APP}:1", **PORT, "readinessProbe": probe(), "livenessProbe": probe()},
    "restricted": {"image": "nginxinc/nginx-unprivileged:1.27", "securityProfile": "Restricted"},
}


@pytest.fixture(scope="module", autouse=True)
def _made(here: Place) -> None:
    """Create all MyResources at once: they fail side by side."""
    for name, (spec, _, _) in FAILURES.items():
        here.make(name, **spec)
    for name, spec in WORKING.items():
        here.make(name, **spec)


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_a_reason_with_a_message(here: Place, name: str) -> None:
    _, reason, message = FAILURES[name]

    here.eventually(lambda: here.state_and_reason(name)[1] == reason and here.message(name).startswith(message), 180)


@pytest.mark.parametrize("name", WORKING)
def test_what_starts_is_ready(here: Place, name: str) -> None:
    here.wait_for_status("Ready", "Available", name)


def test_a_container_that_starts_slowly_is_not_ready_before_it_serves(here: Place) -> None:
    here.wait_for_status("Ready", "Available", "slow")
    (uid,) = here.pods("slow")

    (pod,) = (item for item in here.client.all("Pod", here.name) if item["metadata"]["uid"] == uid)
    assert pod["status"]["containerStatuses"][0]["restartCount"] == 0
    assert ("Building", "RollingOut") in here.history("slow")


def test_a_larger_limit_ends_an_oom_kill(here: Place) -> None:
    here.change("oom", image=f"{APP}:1", memory="32Mi")

    here.wait_for_status("Ready", "Available", "oom")
