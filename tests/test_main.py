"""``uvicorn app.main:app``: the hooks in a server that is started in another way."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from metahook.envtest.free_port import free_port

ROOT = Path(__file__).parent.parent
READY = (ROOT / "examples/requests/ready.json").read_bytes()
JSON = {"Content-Type": "application/json"}


def started(port: int, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "uvicorn", "app.main:app", "--port", str(port)]
    return subprocess.Popen(command, cwd=ROOT, env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True)


@contextmanager
def served(log: Path | None = None, **environment: str) -> Iterator[str]:
    """Serve the app with *environment*, and give its URL; *log* gets what it logs."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with started(port, **environment) as process:
        try:
            while not reached(url):
                assert process.poll() is None
                time.sleep(0.05)
            yield url
        finally:
            process.terminate()
            _, said = process.communicate()
            if log:
                log.write_text(said)


def reached(url: str) -> bool:
    try:
        httpx.get(f"{url}/sync")
    except httpx.ConnectError:
        return False
    return True


def test_it_answers_as_the_service_does() -> None:
    with served() as url:
        answer = httpx.post(f"{url}/sync", content=READY, headers=JSON)

    assert answer.text + "\n" == (ROOT / "examples/answers/ready.json").read_text()


def test_its_settings_are_those_of_the_environment() -> None:
    with served(MYRESOURCE_MAX_BODY="1") as url:
        refused = httpx.post(f"{url}/sync", content=b" " * (1024 * 1024 + 1), headers=JSON)

    assert refused.status_code == 413


@pytest.mark.parametrize(("dev", "status"), [("true", 200), ("false", 404)])
def test_development_mode_is_one_of_them(dev: str, status: int) -> None:
    with served(MYRESOURCE_DEV=dev) as url:
        assert httpx.get(f"{url}/docs").status_code == status


def test_the_log_of_development_mode_is_shown_by_another_server(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with served(log, MYRESOURCE_DEV="true") as url:
        httpx.post(f"{url}/sync", content=READY, headers=JSON)

    assert '"event": "/sync default/web generation 1 in ' in log.read_text()
    assert '"event": "development mode is on: the log shows names and ' in log.read_text()


def test_its_log_is_that_of_the_service(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with served(log) as url:
        httpx.post(f"{url}/sync", content=READY, headers=JSON)

    assert '"event": "hook called", "hook": "/sync", "kind": "MyResource", ' in log.read_text()


def test_a_setting_that_can_not_be_ends_it_with_one_line() -> None:
    with started(free_port(), MYRESOURCE_MAX_BODY="much") as process:
        _, said = process.communicate(timeout=60)

    assert process.returncode == 1
    assert "myresource: Invalid value for MYRESOURCE_MAX_BODY: must be a whole number from 1 to 256" in said
    assert "Traceback" not in said
