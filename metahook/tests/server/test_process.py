"""The server as a process: its log, how it starts, and how it stops without a lost request."""

import fcntl
import http.client
import json
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from metahook.protocol.bodies import MIB
from metahook.protocol.request_builder import sync_request
from toolkit.hooks.minimal import sync_body
from toolkit.served.asgi import JSON
from toolkit.served.process import CLIENT, WIDGETS, Served, served
from toolkit.served.refusals import error
from toolkit.served.thread import PATIENCE
from toolkit.waiting import eventually
from toolkit.widgets import grouped, widget

BODY = sync_request(widget(), grouped(), {})

_STUCK = """
import sys, time
from pathlib import Path
from metahook.server import Address, Limits, ServerOptions, calls, serve
from toolkit.hooks.minimal import controller

def never(_):
    Path({called!r}).touch()
    time.sleep(600)

calls.STUCK = 0.2  # seconds
port, health_port = (int(option.partition("=")[2]) for option in sys.argv[1:])
limits = Limits(decide_timeout={decide_timeout}, max_in_flight=2)
options = ServerOptions(limits, drain={drain}, stop_timeout=1)
serve(controller(never), Address("127.0.0.1", port), Address("127.0.0.1", health_port), options)
"""
"""A hook whose function does not return."""


@contextmanager
def connected(running: Served) -> Iterator[http.client.HTTPConnection]:
    """Return a connection to the hooks, which is closed when the block ends."""
    parts = urlsplit(running.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    connection.connect()
    with closing(connection):
        yield connection


def post(connection: http.client.HTTPConnection, body: bytes = BODY) -> http.client.HTTPResponse:
    connection.request("POST", "/sync", body, JSON)
    response = connection.getresponse()
    response.read()
    return response


def is_closed(connection: http.client.HTTPConnection) -> bool:
    """Tell whether the server has closed an idle *connection*."""
    connection.sock.setblocking(False)  # noqa: FBT003 - the socket's own argument
    try:
        return connection.sock.recv(1) == b""
    except BlockingIOError:
        return False
    finally:
        connection.sock.settimeout(30)


def is_not_ready(running: Served) -> bool:
    try:
        return CLIENT.get(f"{running.health_url}/readyz").status_code == httpx.codes.SERVICE_UNAVAILABLE
    except httpx.TransportError:  # it has stopped
        return True


def is_refused(running: Served) -> bool:
    """Tell whether the port of the hooks takes no more connections."""
    try:
        with connected(running):
            return False
    except ConnectionRefusedError:
        return True


def stopped(running: Served, number: int = signal.SIGTERM) -> list[dict[str, object]]:
    """Stop the process by a signal; return the lines of its log."""
    running.process.send_signal(number)
    assert running.process.wait(timeout=30) == 0
    assert running.process.stderr
    return [json.loads(line) for line in running.process.stderr.read().splitlines()]


# The log


def test_the_log_has_the_life_of_the_process_and_nothing_of_the_requests() -> None:
    with served() as running:
        CLIENT.post(f"{running.url}/sync?canary", content=b'{"canary": 1}', headers={**JSON, "X-Word": "canary"})
        lines = stopped(running)
    hooks, health = (urlsplit(url) for url in (running.url, running.health_url))

    assert [line["event"] for line in lines] == ["started", "ready", "request refused", "stopping", "stopped"]
    assert (lines[0]["hooks"], lines[0]["health"]) == (hooks.netloc, health.netloc)
    assert lines[0]["settings"] == {"port": str(hooks.port), "health_port": str(health.port), "drain": "0"}
    assert lines[3]["signal"] == "SIGTERM"
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", str(line["time"])) for line in lines)
    assert "canary" not in str(lines)


def test_a_log_that_nobody_reads_stops_nothing() -> None:
    """The pipe has room for 8 KiB, which is two dozen lines."""
    with served(*WIDGETS, "--log-level=debug") as running:
        assert running.process.stderr
        fcntl.fcntl(running.process.stderr, fcntl.F_SETPIPE_SZ, 8192)
        for _ in range(40):
            assert CLIENT.post(f"{running.url}/sync", content=BODY, headers=JSON).status_code == 200
        os.read(running.process.stderr.fileno(), 65536)
        events = [line["event"] for line in stopped(running, signal.SIGINT)]

    assert events == ["stopping", "stopped"]


def test_a_process_without_stderr_has_no_log_and_serves() -> None:
    with served("sh", "-c", 'exec "$0" "$@" 2>&-', *WIDGETS) as running:
        assert CLIENT.post(f"{running.url}/sync", content=BODY, headers=JSON).status_code == 200
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


# How it stops


def test_after_a_sigterm_requests_are_served_until_the_drain_ends() -> None:
    with served(*WIDGETS, "--drain=2") as running, connected(running) as used, connected(running) as idle:
        assert [post(each).getheader("connection") for each in (used, idle)] == [None, None]

        running.process.send_signal(signal.SIGTERM)
        assert eventually(lambda: is_not_ready(running))
        with connected(running) as new:
            responses = [post(used), post(new)]
        idle_was_closed = is_closed(idle)

        assert [(response.status, response.getheader("connection")) for response in responses] == [(200, "close")] * 2
        assert not idle_was_closed
        assert CLIENT.get(f"{running.health_url}/livez").is_success
        assert running.process.wait(timeout=30) == 0
        assert is_closed(idle)
        assert is_refused(running)


@pytest.mark.parametrize("signals", [[signal.SIGINT], [signal.SIGTERM, signal.SIGTERM]], ids=["Ctrl-C", "a second one"])
def test_ctrl_c_and_a_second_signal_do_not_wait_for_the_drain(signals: list[int]) -> None:
    with served(*WIDGETS, "--drain=60") as running, connected(running) as idle:
        assert post(idle).status == 200
        for number in signals:
            running.process.send_signal(number)
            eventually(lambda: is_not_ready(running))

        assert running.process.wait(timeout=10) == 0


def test_a_request_in_progress_is_answered_before_the_process_ends() -> None:
    with served() as running, connected(running) as connection:
        connection.putrequest("POST", "/sync")
        for name, value in {**JSON, "Content-Length": str(len(BODY)), "Expect": "100-continue"}.items():
            connection.putheader(name, value)
        connection.endheaders()
        assert connection.sock.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"  # the request is being answered

        running.process.send_signal(signal.SIGTERM)
        assert eventually(lambda: is_refused(running))
        connection.send(BODY)
        response = connection.getresponse()

        assert response.status == 200
        assert b'"state":"Building"' in response.read()
        assert running.process.wait(timeout=10) == 0


@contextmanager
def stuck(
    folder: Path, *, drain: float = 0, decide_timeout: float = 8
) -> Iterator[tuple[Served, http.client.HTTPConnection]]:
    """Serve a hook whose function does not return; yield it while it works on a request, and the connection."""
    called = folder / "called"
    command = (sys.executable, "-c", _STUCK.format(called=str(called), drain=drain, decide_timeout=decide_timeout))
    with served(*command) as running, connected(running) as connection:
        connection.request("POST", "/sync", sync_body(), JSON)
        assert eventually(called.exists)
        yield running, connection


_BLOCKED_METRIC = """
import sys, time
from metahook.server import Address, ServerOptions, serve
from toolkit.hooks.minimal import TINY

class Blocked:
    def collect(self):
        open({begun!r}, "w").close()
        time.sleep(600)

    def describe(self):
        return []

port, health_port = (int(option.partition("=")[2]) for option in sys.argv[1:])
serve(TINY, Address("127.0.0.1", port), Address("127.0.0.1", health_port), ServerOptions(collectors=(Blocked(),)))
"""


def test_a_metric_of_the_hook_that_blocks_keeps_no_process_alive(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    with served(sys.executable, "-c", _BLOCKED_METRIC.format(begun=str(begun))) as running:
        with pytest.raises(httpx.ReadTimeout):
            CLIENT.get(f"{running.health_url}/metrics", timeout=0.5)
        scraping = threading.Thread(target=lambda: scraped(running), daemon=True)
        scraping.start()
        assert eventually(begun.exists)
        running.process.send_signal(signal.SIGINT)

        assert running.process.wait(timeout=8) == 0
        scraping.join(PATIENCE)


def scraped(running: Served) -> None:
    with suppress(httpx.HTTPError):
        CLIENT.get(f"{running.health_url}/metrics", timeout=30)


def test_what_is_cut_off_gets_a_refusal(tmp_path: Path) -> None:
    with stuck(tmp_path) as (running, connection):
        running.process.send_signal(signal.SIGTERM)
        response = connection.getresponse()
        content = response.read()
        code = running.process.wait(timeout=30)
        log = running.process.stderr.read() if running.process.stderr else ""

    assert (response.status, error(content)) == (503, "the hook stopped before it could respond")
    assert code == 1
    assert "Traceback" not in log


def test_a_second_signal_ends_a_process_whose_hook_does_not_return(tmp_path: Path) -> None:
    with stuck(tmp_path, drain=60) as (running, _):
        for _ in range(2):
            running.process.send_signal(signal.SIGTERM)
            eventually(lambda: is_not_ready(running))

        assert running.process.wait(timeout=10) == 1


def test_a_process_whose_threads_never_return_is_not_alive_and_exits_at_a_signal(tmp_path: Path) -> None:
    with stuck(tmp_path, decide_timeout=0.1) as (running, connection):
        assert connection.getresponse().status == httpx.codes.SERVICE_UNAVAILABLE
        assert CLIENT.get(f"{running.health_url}/livez").is_success  # one thread is left
        large = sync_body(padding="x" * 2 * MIB)
        assert CLIENT.post(f"{running.url}/sync", content=large, headers=JSON).status_code == 503
        alive = f"{running.health_url}/livez"
        assert eventually(lambda: CLIENT.get(alive).status_code == httpx.codes.SERVICE_UNAVAILABLE)
        assert CLIENT.get(f"{running.health_url}/readyz").is_success
        metrics = CLIENT.get(f"{running.health_url}/metrics").text
        running.process.send_signal(signal.SIGTERM)

        assert running.process.wait(timeout=30) == 1
    assert "metahook_calls_late 2.0" in metrics
    assert "metahook_calls_in_flight 2.0" in metrics
