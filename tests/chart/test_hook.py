"""The hook as the chart runs it: graceful shutdown, no rights, ingress from Metacontroller and helm test only."""

import subprocess
import sys
from typing import Any

import pytest

from metahook.envtest.free_port import free_port
from metahook.server.app import DEFAULT_OPTIONS
from tests.chart.sets import objects, the
from toolkit.served.process import Served

(TEST,) = [item for item in objects() if item["kind"] == "Pod"]
(TEST_CONTAINER,) = TEST["spec"]["containers"]


@pytest.mark.parametrize(("drain", "stop"), [(0, 12), (5, 12), (60, 12), (5, 300)])
def test_there_is_time_to_drain_and_to_finish_running_requests(drain: int, stop: int) -> None:
    pod = the("Deployment", {"drain": drain, "stopTimeout": stop})["spec"]["template"]["spec"]
    timeout = the("CompositeController")["spec"]["hooks"]["sync"]["webhook"]["timeout"]

    assert pod["terminationGracePeriodSeconds"] > drain + stop
    assert int(timeout.rstrip("s")) <= DEFAULT_OPTIONS.stop_timeout


def run_helm_test(url: str, *ca: str, **changed: str) -> subprocess.CompletedProcess[str]:
    """Run the script of the Pod of helm test with this Python instead of the image's, against the hook at *url*."""
    script, given = TEST_CONTAINER["args"]
    for old, new in changed.items():
        script = script.replace(old, new)
    assert given == "http://myresource-operator.operators.svc"
    command = [sys.executable, *TEST_CONTAINER["command"][1:], script, url, *ca]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")


@pytest.fixture(name="url")
def _url(operator: Served) -> str:
    return operator.url


def test_helm_test_passes_if_the_hook_answers(url: str) -> None:
    ended = run_helm_test(url)

    assert ended.returncode == 0, ended.stderr
    assert (
        ended.stdout
        == "the hook answers: a new MyResource has the state Building and the child Deployment helm-test-deployment\n"
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        pytest.param({"/sync": "/elsewhere"}, "/elsewhere answered with status 404", id="no hook"),
        pytest.param({"-deployment": "-other"}, "/sync returned children", id="another child"),
        pytest.param({"Building": "Ready"}, "Building", id="another state"),
    ],
)
def test_helm_test_fails_if_a_response_is_wrong(url: str, changed: dict[str, Any], said: str) -> None:
    ended = run_helm_test(url, **changed)

    assert ended.returncode == 1
    assert said in ended.stderr


def test_helm_test_retries_and_fails_if_the_hook_is_down() -> None:
    ended = run_helm_test(f"http://127.0.0.1:{free_port()}", **{"PATIENCE = 60": "PATIENCE = 2"})

    assert ended.returncode == 1
    assert ended.stdout.count("waiting for") == 2
    assert "no response from" in ended.stderr
