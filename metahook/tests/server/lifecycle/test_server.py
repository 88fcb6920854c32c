"""The server as a process: what it answers on real connections, how it starts and how it stops."""

import fcntl
import http.client
import json
import os
import re
import signal
import socket
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from metahook.protocol.request_builder import sync_request
from metahook.server.lifecycle.serve import HEALTH_CONNECTIONS
from metahook.server.lifecycle.server import create_server
from toolkit.hooks.minimal import sync_body
from toolkit.served.asgi import JSON
from toolkit.served.process import CLIENT, WIDGETS, Served, served
from toolkit.widgets import grouped, widget

BODY = sync_request(widget(), grouped(), {})
METACONTROLLERS_IDLE_SECONDS = 90


def connect(running: Served) -> http.client.HTTPConnection:
    parts = urlsplit(running.url)
    return http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)


def post(connection: http.client.HTTPConnection, path: str, body: bytes, headers: dict[str, str]) -> int:
    connection.request("POST", path, body, headers)
    response = connection.getresponse()
    response.read()
    return response.status


def test_slow_clients_of_the_health_port_are_closed_and_livez_is_answered_meanwhile() -> None:
    with served(*WIDGETS, "--head-timeout=2") as running, ExitStack() as stack:
        port = urlsplit(running.health_url).port or 0
        clients = [
            stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
            for _ in range(HEALTH_CONNECTIONS)
        ]
        for client in clients:
            client.sendall(b"GET /livez HTTP/1.1\r\n")

        assert CLIENT.get(f"{running.health_url}/livez").text == "ok\n"
        answers = [client.recv(100).partition(b"\r\n")[0] for client in clients]
        metrics = CLIENT.get(f"{running.health_url}/metrics").text

    # The first one was closed to make room for the request.
    assert answers == [b"", *[b"HTTP/1.1 408 Request Timeout"] * (HEALTH_CONNECTIONS - 1)]
    assert 'metahook_connections_closed_total{limit="health_connections"} 1.0' in metrics
    assert 'metahook_connections_closed_total{limit="max_connections"}' not in metrics


def test_connections_are_kept_for_longer_than_metacontroller_keeps_them() -> None:
    config = create_server(httpx.ASGITransport).config  # type: ignore[arg-type] # any app: it is not called

    assert config.timeout_keep_alive > METACONTROLLERS_IDLE_SECONDS


def test_no_answer_names_the_server_and_no_access_is_logged() -> None:
    config = create_server(httpx.ASGITransport).config  # type: ignore[arg-type] # any app: it is not called

    assert (config.server_header, config.access_log, config.proxy_headers) == (False, False, False)


def closed(running: Served) -> bool:
    """Tell whether the hooks' port takes no more connections."""
    parts = urlsplit(running.url)
    try:
        socket.create_connection((parts.hostname, parts.port), timeout=1).close()
    except ConnectionRefusedError:
        return True
    return False


def wait_until_closed(running: Served) -> None:
    for _ in range(200):
        if closed(running):
            return
        time.sleep(0.05)
    pytest.fail("the port is still open")


def test_a_request_in_flight_is_answered_before_the_process_ends() -> None:
    with served() as running:
        connection = connect(running)
        connection.putrequest("POST", "/sync")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(len(BODY)))
        connection.putheader("Expect", "100-continue")
        connection.endheaders()
        assert connection.sock.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"  # the request is being answered

        running.process.send_signal(signal.SIGTERM)
        wait_until_closed(running)
        connection.send(BODY)
        response = connection.getresponse()

        assert response.status == 200
        assert b'"state":"Building"' in response.read()
        assert running.process.wait(timeout=10) == 0


def test_the_log_has_the_life_of_the_process_and_nothing_of_the_requests() -> None:
    with served() as running:
        CLIENT.post(f"{running.url}/sync?canary", content=b'{"canary": 1}', headers={**JSON, "X-Word": "canary"})
        running.process.send_signal(signal.SIGTERM)
        running.process.wait(timeout=10)
        log = running.process.stderr.read() if running.process.stderr else ""
    lines = [json.loads(line) for line in log.splitlines()]
    hooks, health = (urlsplit(url) for url in (running.url, running.health_url))

    assert [line["event"] for line in lines] == [
        "started",
        "ready",
        "request refused",
        "stopping",
        "drained",
        "stopped",
    ]
    assert (lines[0]["hooks"], lines[0]["health"]) == (hooks.netloc, health.netloc)
    assert lines[0]["settings"] == {"port": str(hooks.port), "health_port": str(health.port), "drain": "0"}
    assert (lines[3]["signal"], lines[5]["calls"], lines[5]["refusals"]) == ("SIGTERM", 1, 1)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"]) for line in lines)
    assert "canary" not in log


def test_a_log_that_nobody_reads_stops_nothing() -> None:
    """The pipe has room for 8 KiB, which is two dozen lines."""
    with served(*WIDGETS, "--log-level=debug") as running:
        assert running.process.stderr
        fcntl.fcntl(running.process.stderr, fcntl.F_SETPIPE_SZ, 8192)
        for _ in range(40):
            assert CLIENT.post(f"{running.url}/sync", content=BODY, headers=JSON).status_code == 200
        assert CLIENT.get(f"{running.health_url}/livez").text == "ok\n"
        omitted = re.findall(r"log_lines_omitted_total (\d\S+)", CLIENT.get(f"{running.health_url}/metrics").text)

        os.read(running.process.stderr.fileno(), 65536)
        running.process.send_signal(signal.SIGINT)
        running.process.wait(timeout=10)
        dropped, *others = [json.loads(line) for line in running.process.stderr.read().splitlines()]

    assert (dropped["event"], dropped["count"]) == ("log lines dropped", float(omitted[0]))
    assert dropped["count"] > 10
    assert [line["event"] for line in others] == ["stopping", "drained", "stopped"]


def test_a_daemon_without_stderr_has_no_log_and_ignores_sighup() -> None:
    with served("nohup", "sh", "-c", 'exec "$0" "$@" 2>&-', *WIDGETS) as running:
        running.process.send_signal(signal.SIGHUP)
        assert CLIENT.post(f"{running.url}/sync", content=BODY, headers=JSON).status_code == 200
        assert Path(f"/proc/{running.process.pid}/fd/2").readlink() == Path(os.devnull)
        assert CLIENT.get(f"{running.health_url}/readyz").is_success
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(timeout=10) == 0


_HOOK = """
import logging, sys
from metahook.server import Address, serve
from toolkit.hooks.minimal import TINY

port, health_port = (int(option.partition("=")[2]) for option in sys.argv[1:])
{set_up}
serve({{"/tiny": TINY}}, Address("127.0.0.1", port), Address("127.0.0.1", health_port))
"""


@pytest.mark.parametrize(
    ("set_up", "line"),
    [
        pytest.param("", r'\{"time": "[^"]+", "level": "info", "event": "started", .*\}', id="serve"),
        pytest.param("logging.basicConfig(level='INFO', format='own %(message)s')", r"own started .*", id="the hook"),
    ],
)
def test_serve_sets_up_logging_unless_the_hook_has(set_up: str, line: str) -> None:
    with served(sys.executable, "-c", _HOOK.format(set_up=set_up)) as running:
        assert CLIENT.post(f"{running.url}/tiny/sync", content=sync_body(), headers=JSON).status_code == 200
        running.process.send_signal(signal.SIGINT)
        running.process.wait(timeout=10)
        log = running.process.stderr.read() if running.process.stderr else ""

    assert re.fullmatch(line, log.splitlines()[0])
