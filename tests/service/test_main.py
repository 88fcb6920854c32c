"""``uvicorn app.main:app``: the hooks in a server that is started in another way."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from metahook.envtest.free_port import free_port
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
        httpx.get(f"{url}/sync")
    except httpx.ConnectError:
        return False
    return True


def test_it_answers_and_logs_as_the_service_does_and_loads_no_scripts_from_elsewhere(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with served(log) as url:
        answer = httpx.post(f"{url}/sync", content=READY, headers=JSON)
        pages = [httpx.get(f"{url}{path}").status_code for path in ("/docs", "/redoc", "/openapi.json")]

    assert answer.text + "\n" == (ROOT / "examples/answers/ready.json").read_text()
    assert '"event": "hook called", "hook": "/sync", "kind": "MyResource", ' in log.read_text()
    assert pages == [404, 404, 200]


def test_its_settings_are_those_of_the_environment_and_a_token_is_revoked_without_a_lifespan(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("a-token")
    with served(MYRESOURCE_MAX_BODY="1", MYRESOURCE_TOKENS=str(token), UVICORN_LIFESPAN="off") as url:

        def status(**more: str) -> int:
            too_large = b" " * (1024 * 1024 + 1)
            return httpx.post(f"{url}/sync", content=too_large, headers={**JSON, **more}).status_code

        assert [status(), status(Authorization="Bearer a-token")] == [401, 413]
        token.unlink()
        assert eventually(lambda: status(Authorization="Bearer a-token") == 401, pause=0.2)


def test_a_chunked_request_needs_a_length_where_tokens_are_checked_as_a_trailer_may_have_one(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("a-token")
    token, kind = b"Authorization: Bearer a-token\r\n", b"Content-Type: application/json\r\n"
    chunked, length = b"Transfer-Encoding: chunked\r\n\r\n", b"Content-Length: %d\r\n\r\n" % len(READY)
    body = b"%x\r\n%s\r\n0\r\n" % (len(READY), READY)
    requests = {
        "a trailer": kind + chunked + body + token + b"\r\n",
        "a header": token + kind + chunked + body + b"\r\n",
        "no token": kind + chunked + body + b"\r\n",
        "a length": token + kind + length + READY,
    }
    answers = {}
    with served(MYRESOURCE_TOKENS=str(tmp_path / "token")) as url:
        address = ("127.0.0.1", int(url.rpartition(":")[2]))
        for name, request in requests.items():
            with socket.create_connection(address, timeout=10) as client:
                client.sendall(b"POST /sync HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + request)
                answers[name] = b"".join(iter(lambda: client.recv(65536), b""))

    assert {name: int(answer[9:12]) for name, answer in answers.items()} == {
        "a trailer": 411,
        "a header": 411,
        "no token": 401,
        "a length": 200,
    }
    assert answers["a trailer"].endswith(b'{"error": "send the header Content-Length, and no Transfer-Encoding"}')


def test_a_setting_that_can_not_be_ends_it_with_one_line() -> None:
    with started(free_port(), MYRESOURCE_MAX_BODY="much") as process:
        _, said = process.communicate(timeout=60)

    assert process.returncode == 1
    assert "myresource: Invalid value for MYRESOURCE_MAX_BODY: must be a whole number from 1 to 256" in said
    assert "Traceback" not in said
