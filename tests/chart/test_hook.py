"""The hook as the chart runs it: graceful shutdown, ingress from Metacontroller and helm test only."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metahook.envtest.free_port import free_port
from metahook.server.app import DEFAULT_OPTIONS
from tests.chart.sets import objects, the
from tests.service.operator import served
from toolkit.served.process import Served
from toolkit.served.tls import Pki, write_pair

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


def test_helm_test_passes_if_the_hook_answers(operator: Served) -> None:
    ended = run_helm_test(operator.url)

    assert ended.returncode == 0, ended.stderr
    state = "a new MyResource has the state Building and the child Deployment helm-test-deployment"
    assert ended.stdout == f"the hook answers: {state}\n"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        pytest.param({"/sync": "/elsewhere"}, "/elsewhere answered with status 404", id="no hook"),
        pytest.param({"-deployment": "-other"}, "/sync returned children", id="another child"),
        pytest.param({"Building": "Ready"}, "Building", id="another state"),
    ],
)
def test_helm_test_fails_if_a_response_is_wrong(operator: Served, changed: dict[str, Any], said: str) -> None:
    ended = run_helm_test(operator.url, **changed)

    assert ended.returncode == 1
    assert said in ended.stderr


def test_helm_test_retries_and_fails_if_the_hook_is_down() -> None:
    ended = run_helm_test(f"http://127.0.0.1:{free_port()}", **{"PATIENCE = 60": "PATIENCE = 2"})

    assert ended.returncode == 1
    assert ended.stdout.count("waiting for") == 2
    assert "no response from" in ended.stderr


# With TLS, a client certificate and a token


@pytest.fixture(name="protected", scope="module")
def _protected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Return the URL of a hook that needs a client certificate and a token, and a folder with those of a caller."""
    pki = Pki(tmp_path_factory.mktemp("hook"))
    caller = tmp_path_factory.mktemp("caller")
    write_pair(pki.ca.issue_cert("metacontroller@example.com"), caller / "tls.crt", caller / "tls.key")
    shutil.copy(pki.client_ca, caller)
    (caller / "token").write_text("a-token-of-this-test\n")
    files = [f"--tls-cert={pki.cert}", f"--tls-key={pki.key}", f"--tls-client-ca={pki.client_ca}"]
    with served(sys.executable, "-m", "app", "serve", *files, f"--tokens={caller / 'token'}") as hook:
        yield hook.url.replace("http://", "https://"), caller


def in_folder(folder: Path) -> dict[str, str]:
    """Return the change of the script that reads the files of the Pod from *folder*."""
    return {"/etc/myresource/caller": str(folder)}


@pytest.mark.parametrize("is_inline", [False, True], ids=["of a file", "inline"])
def test_helm_test_shows_what_metacontroller_shows_and_knows_the_ca(
    protected: tuple[str, Path], tmp_path: Path, *, is_inline: bool
) -> None:
    url, caller = protected
    folder = shutil.copytree(caller, tmp_path / "caller")
    ca = folder / "ca.crt"
    given = [ca.read_text()] if is_inline else []
    if is_inline:
        ca.unlink()

    ended = run_helm_test(url, *given, **in_folder(folder))

    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        pytest.param("token", "/customize answered with status 401", id="the token"),
        pytest.param("tls.crt", "no response from", id="the client certificate"),
        pytest.param("ca.crt", "No such file or directory", id="the CA"),
    ],
)
def test_helm_test_fails_without_what_the_hook_needs(
    protected: tuple[str, Path], tmp_path: Path, missing: str, said: str
) -> None:
    url, caller = protected
    folder = shutil.copytree(caller, tmp_path / "caller")
    (folder / missing).unlink()

    ended = run_helm_test(url, **in_folder(folder), **{"PATIENCE = 60": "PATIENCE = 1"})

    assert ended.returncode == 1
    assert said in ended.stderr
