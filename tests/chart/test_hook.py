"""The hook as the chart runs it: graceful shutdown, ingress from Metacontroller and helm test only."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metahook.envtest.process import free_port
from metahook.server.options import DEFAULT_OPTIONS
from tests.chart.sets import objects, the
from tests.service.operator import FORKED, served
from toolkit.served.process import Served
from toolkit.served.tls import Pki, write_pair


def container_of_helm_test() -> Any:
    """Return the container of helm test."""
    (pod,) = [item for item in objects() if item["kind"] == "Pod"]
    (found,) = pod["spec"]["containers"]
    return found


@pytest.mark.parametrize(("drain", "stop"), [(0, 12), (5, 12), (60, 12), (5, 300)])
def test_there_is_time_to_drain_and_to_finish_running_requests(drain: int, stop: int) -> None:
    pod = the("Deployment", {"drain": drain, "stopTimeout": stop})["spec"]["template"]["spec"]
    timeout = the("CompositeController")["spec"]["hooks"]["sync"]["webhook"]["timeout"]

    assert pod["terminationGracePeriodSeconds"] > drain + stop
    assert int(timeout.rstrip("s")) <= DEFAULT_OPTIONS.stop_timeout


def run_helm_test(url: str, *ca: str, **changed: str) -> tuple[int, str]:
    """Run the script of the Pod of helm test with this Python instead of the image's, against the hook at *url*.

    Return its exit code, and what it prints.
    """
    container = container_of_helm_test()
    script, given = container["args"]
    for old, new in changed.items():
        script = script.replace(old, new)
    assert given == "http://myresource-operator.operators.svc"
    command = [sys.executable, *container["command"][1:], script, url, *ca]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("changed", "code", "said"),
    [
        pytest.param({}, 0, "the hook answers: a new MyResource has the state Building and the child ", id="right"),
        pytest.param({"/sync": "/elsewhere"}, 1, "/elsewhere answered with status 404", id="no hook"),
        pytest.param({"-deployment": "-other"}, 1, "/sync returned children", id="another child"),
        pytest.param({"Building": "Ready"}, 1, "Building", id="another state"),
    ],
)
def test_helm_test_passes_if_each_response_of_the_hook_is_right(
    operator: Served, changed: dict[str, Any], code: int, said: str
) -> None:
    ended, printed = run_helm_test(operator.url, **changed)

    assert ended == code
    assert said in printed


def test_helm_test_retries_and_fails_if_the_hook_is_down() -> None:
    ended, printed = run_helm_test(f"http://127.0.0.1:{free_port()}", **{"PATIENCE = 60": "PATIENCE = 2"})

    assert ended == 1
    assert printed.count("waiting for") == 2
    assert "no response from" in printed


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
    with served(*FORKED, "serve", *files, f"--tokens={caller / 'token'}") as hook:
        yield hook.url.replace("http://", "https://"), caller


@pytest.mark.parametrize(
    ("missing", "is_inline", "code", "said"),
    [
        pytest.param("none", False, 0, "the hook answers", id="all is there"),
        pytest.param("ca.crt", True, 0, "the hook answers", id="the CA is inline"),
        pytest.param("ca.crt", False, 1, "No such file or directory", id="no CA"),
        pytest.param("token", False, 1, "/customize answered with status 401", id="no token"),
        pytest.param("tls.crt", False, 1, "no response from", id="no client certificate"),
    ],
)
def test_helm_test_shows_what_metacontroller_shows_and_needs_all_of_it(
    protected: tuple[str, Path], tmp_path: Path, missing: str, *, is_inline: bool, code: int, said: str
) -> None:
    url, caller = protected
    folder = shutil.copytree(caller, tmp_path / "caller")
    given = [(folder / "ca.crt").read_text()] if is_inline else []
    (folder / missing).unlink(missing_ok=True)

    changed = {"/etc/myresource/caller": str(folder), "PATIENCE = 60": f"PATIENCE = {1 if code else 60}"}
    ended, printed = run_helm_test(url, *given, **changed)

    assert ended == code, printed
    assert said in printed
