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
from toolkit.served.process import CLIENT
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
    with served(log) as url:
        answer = CLIENT.post(f"{url}/sync", content=READY, headers=JSON)
        pages = [CLIENT.get(f"{url}{path}").status_code for path in ("/docs", "/redoc", "/openapi.json")]

    assert answer.text + "\n" == (ROOT / "examples/answers/ready.json").read_text()
    assert '"event": "hook called", "hook": "/sync", "kind": "MyResource", ' in log.read_text()
    assert pages == [404, 404, 200]


def test_its_settings_are_those_of_the_environment_and_a_token_is_revoked_without_a_lifespan(tmp_path: Path) -> None:
    """A chunked request needs a length where tokens are checked, as its trailer may have one."""
    file = tmp_path / "token"
    file.write_text("a-token")
    token, kind = b"Authorization: Bearer a-token\r\n", b"Content-Type: application/json\r\n"
    chunked, length = b"Transfer-Encoding: chunked\r\n\r\n", b"Content-Length: %d\r\n\r\n"
    body, large = b"%x\r\n%s\r\n0\r\n" % (len(READY), READY), b" " * (1024 * 1024 + 1)
    whole = token + kind + length % len(READY) + READY
    requests = [
        (411, kind + chunked + body + token + b"\r\n"),
        (411, token + kind + chunked + body + b"\r\n"),
        (401, kind + chunked + body + b"\r\n"),
        (413, token + kind + length % len(large) + large),
        (200, whole),
    ]
    with served(MYRESOURCE_MAX_BODY="1", MYRESOURCE_TOKENS=str(file), UVICORN_LIFESPAN="off") as url:

        def status(request: bytes) -> int:
            with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=10) as client:
                client.sendall(b"POST /sync HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + request)
                return int(client.recv(65536)[9:12])

        assert [status(request) for _, request in requests] == [expected for expected, _ in requests]
        file.unlink()
        assert eventually(lambda: status(whole) == 401, pause=0.2)
