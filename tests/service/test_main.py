"""``uvicorn app.main:app``: the hooks in a server that is started in another way."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from metahook.envtest.process import free_port
from toolkit.served.process import CLIENT
from toolkit.served.tls import Pki
from toolkit.waiting import eventually

ROOT = Path(__file__).parents[2]
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
            assert eventually(lambda: process.poll() is not None or reached(url))
            assert process.poll() is None
            yield url
        finally:
            process.terminate()
            _, said = process.communicate()
            if log:
                log.write_text(said)


def reached(url: str) -> bool:
    try:
        CLIENT.get(f"{url}/sync")
    except httpx.ConnectError:
        return False
    return True


def test_it_answers_and_logs_as_the_service_does_and_loads_no_scripts_from_elsewhere(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with served(log, MYRESOURCE_LOG_LEVEL="debug") as url:
        answer = CLIENT.post(f"{url}/sync", content=READY, headers=JSON)
        pages = [CLIENT.get(f"{url}{path}").status_code for path in ("/docs", "/redoc", "/openapi.json")]

    assert answer.text + "\n" == (ROOT / "examples/answers/ready.json").read_text()
    assert '"event": "hook called", "hook": "/sync", "kind": "MyResource", ' in log.read_text()
    assert pages == [404, 404, 200]


def test_its_settings_are_those_of_the_environment_and_a_token_is_revoked(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("a-token-of-this-test")
    token = {"Authorization": "Bearer a-token-of-this-test", **JSON}
    with served(MYRESOURCE_MAX_BODY="1", MYRESOURCE_TOKENS=str(file)) as url:

        def status(headers: dict[str, str], body: bytes | Iterator[bytes] = READY) -> int:
            return CLIENT.post(f"{url}/sync", content=body, headers=headers).status_code

        assert [status(JSON), status(token, b" " * (1024 * 1024 + 1))] == [401, 413]
        assert [status(token), status(token, iter([READY]))] == [200, 200]
        file.unlink()
        assert eventually(lambda: status(token) == 401, pause=0.2)


def test_with_tls_that_the_server_does_not_use_nobody_is_let_in(tmp_path: Path) -> None:
    """It would be served over plain HTTP otherwise, and look protected."""
    pki = Pki(tmp_path)
    with served(MYRESOURCE_TLS_CERT=str(pki.cert), MYRESOURCE_TLS_KEY=str(pki.key)) as url:
        assert CLIENT.post(f"{url}/sync", content=READY, headers=JSON).status_code == 403


@pytest.mark.parametrize(
    ("variable", "value", "problem"),
    [
        ("MYRESOURCE_MAX_BODY", "true", "Invalid value for MYRESOURCE_MAX_BODY: must be a whole number from 1 to 256"),
        (
            "MYRESOURCE_TOKENS",
            "missing",
            "Invalid value for --tokens (MYRESOURCE_TOKENS): missing does not exist; create it",
        ),
    ],
)
def test_a_wrong_variable_is_told_in_one_line(variable: str, value: str, problem: str) -> None:
    with started(free_port(), **{variable: value}) as process:
        _, said = process.communicate(timeout=30)

    assert process.returncode
    assert said.startswith(f"myresource: {problem}")
    assert said.count("\n") == 1
