"""How the server starts and stops: no request is lost to a SIGTERM at any moment."""

import asyncio
import http.client
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn

from metahook.protocol.bodies import MIB
from metahook.protocol.request_builder import sync_request
from metahook.server.app import create_app
from metahook.server.connections.connections import Connections
from metahook.server.hook.calls import LONG
from metahook.server.lifecycle.address import Address
from metahook.server.lifecycle.health import create_health_app
from metahook.server.lifecycle.serve import BoundServer, run
from metahook.server.lifecycle.server import Server, create_server
from metahook.server.lifecycle.shutdown import Shutdown
from metahook.server.limits import Limits
from metahook.server.telemetry.metrics import Metrics
from metahook.server.telemetry.telemetry import Telemetry
from toolkit.hooks.minimal import TINY, sync_body
from toolkit.served.asgi import JSON
from toolkit.served.process import CLIENT, WIDGETS, Served, served
from toolkit.served.refusals import error
from toolkit.widgets import grouped, widget

BODY = sync_request(widget(), grouped(), {})
LONG_BODY = sync_body(padding="x" * LONG)
"""A thread works on it."""

_STUCK = """
import sys, time
from pathlib import Path
from metahook.server import Address, ServerOptions, serve
from metahook.server.hook import calls
from metahook.server.limits import Limits
from toolkit.served.refusals import error
from toolkit.hooks.minimal import controller

def never(_):
    Path({called!r}).touch()
    time.sleep(600)

calls.STUCK = 0.2  # seconds
port, health_port = (int(option.partition("=")[2]) for option in sys.argv[1:])
options = ServerOptions(Limits(decide_timeout={decide_timeout}), drain={drain}, stop_timeout=0.5)
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


def wait_until_not_ready(running: Served) -> None:
    with suppress(httpx.TransportError):  # it has stopped
        wait_for(lambda: CLIENT.get(f"{running.health_url}/readyz").status_code == httpx.codes.SERVICE_UNAVAILABLE)


def wait_for(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


# Start


class Held(Server):
    """A server that accepts connections only once it is released."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config, Connections(Limits()), None)
        self.released = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait, then accept connections."""
        await self.released.wait()
        await super().startup(sockets)


@asynccontextmanager
async def holding() -> AsyncIterator[tuple[Held, httpx.AsyncClient, Shutdown]]:
    """Yield a server that starts, a client of its health, and its shutdown, which ends within 10 seconds."""
    shutdown = Shutdown(drain=60, stop_timeout=1, telemetry=Telemetry())
    hooks = Held(create_server(create_app(TINY)).config)
    health = create_server(create_health_app(lambda: shutdown.is_ready, Metrics(("/sync",), "1", Limits())))
    with Address("127.0.0.1", 0).listen() as hooks_socket, Address("127.0.0.1", 0).listen() as health_socket:
        url = f"http://127.0.0.1:{health_socket.getsockname()[1]}"
        running = asyncio.create_task(
            run(BoundServer(hooks, hooks_socket), BoundServer(health, health_socket), shutdown)
        )
        async with httpx.AsyncClient(base_url=url) as client:
            yield hooks, client, shutdown
        hooks.released.set()
        await asyncio.wait_for(running, 10)


async def statuses(client: httpx.AsyncClient) -> list[int]:
    """Return the statuses of /readyz and /livez."""
    return [(await client.get(path)).status_code for path in ("/readyz", "/livez")]


def test_it_is_ready_once_the_hooks_accept_connections_and_not_before() -> None:
    async def played() -> None:
        async with holding() as (hooks, client, shutdown):
            assert await statuses(client) == [503, 200]
            hooks.released.set()
            await hooks.is_listening.wait()
            assert await statuses(client) == [200, 200]
            shutdown.begin(signal.SIGINT)

    asyncio.run(played())


def test_a_stop_during_the_start_does_not_wait_for_the_drain() -> None:
    async def played() -> None:
        async with holding() as (_, client, shutdown):
            assert await statuses(client) == [503, 200]
            shutdown.begin(signal.SIGTERM)

    asyncio.run(played())


# SIGTERM while it runs


def test_after_sigterm_requests_are_served_until_the_drain_ends() -> None:
    with served(*WIDGETS, "--drain=2") as running, connected(running) as used, connected(running) as idle:
        assert [post(each).getheader("connection") for each in (used, idle)] == [None, None]

        running.process.send_signal(signal.SIGTERM)
        wait_until_not_ready(running)
        with connected(running) as new:
            responses = [post(used), post(new)]
        idle_was_closed = is_closed(idle)

        assert [(response.status, response.getheader("connection")) for response in responses] == [(200, "close")] * 2
        assert not idle_was_closed
        assert CLIENT.get(f"{running.health_url}/livez").is_success
        assert running.process.wait(timeout=30) == 0
        assert is_closed(idle)
        with pytest.raises(ConnectionRefusedError), connected(running):
            pass


def test_sighup_is_as_sigterm() -> None:
    with served(*WIDGETS, "--drain=60") as running, connected(running) as used:
        running.process.send_signal(signal.SIGHUP)
        wait_until_not_ready(running)

        assert post(used).getheader("connection") == "close"
        running.process.send_signal(signal.SIGHUP)
        assert running.process.wait(timeout=30) == 0


def test_without_a_drain_the_next_request_of_an_idle_connection_is_lost() -> None:
    with served(*WIDGETS, "--drain=0") as running, connected(running) as idle:
        assert post(idle).status == 200

        running.process.send_signal(signal.SIGTERM)

        assert running.process.wait(timeout=30) == 0
        assert is_closed(idle)


def test_ctrl_c_does_not_wait_for_the_drain() -> None:
    with served(*WIDGETS, "--drain=60") as running:
        running.process.send_signal(signal.SIGINT)

        assert running.process.wait(timeout=10) == 0


@contextmanager
def stuck(
    folder: Path, body: bytes, *, drain: float = 0, decide_timeout: float = 8
) -> Iterator[tuple[Served, http.client.HTTPConnection]]:
    """Serve a hook whose function does not return; yield it while it works on *body*, and the connection."""
    called = folder / "called"
    command = (sys.executable, "-c", _STUCK.format(called=str(called), drain=drain, decide_timeout=decide_timeout))
    with served(*command) as running, connected(running) as connection:
        connection.request("POST", "/sync", body, JSON)
        wait_for(called.exists)
        yield running, connection


@pytest.mark.parametrize(("signals", "drain"), [(1, 0), (2, 60)], ids=["its time is over", "a second signal"])
def test_what_is_cut_off_gets_a_refusal(tmp_path: Path, signals: int, drain: float) -> None:
    with stuck(tmp_path, LONG_BODY, drain=drain) as (running, connection):
        for _ in range(signals):
            running.process.send_signal(signal.SIGTERM)
            wait_until_not_ready(running)
        response = connection.getresponse()
        content = response.read()
        code = running.process.wait(timeout=30)
        log = running.process.stderr.read() if running.process.stderr else ""

    assert (response.status, error(content)) == (503, "the hook stopped before it could respond")
    assert code == 1
    assert "Traceback" not in log


def test_it_exits_even_if_a_hook_function_blocks_the_loop(tmp_path: Path) -> None:
    with stuck(tmp_path, sync_body()) as (running, _):
        running.process.send_signal(signal.SIGTERM)

        assert running.process.wait(timeout=30) == 1


def test_it_exits_even_if_a_thread_is_stuck_in_a_hook_function_whose_request_was_refused(tmp_path: Path) -> None:
    with stuck(tmp_path, LONG_BODY, decide_timeout=0.1) as (running, connection):
        assert connection.getresponse().status == httpx.codes.SERVICE_UNAVAILABLE
        running.process.send_signal(signal.SIGTERM)

        assert running.process.wait(timeout=30) == 1


def test_a_process_whose_threads_never_return_is_not_alive_and_the_metrics_count_their_calls(tmp_path: Path) -> None:
    with stuck(tmp_path, sync_body(padding="x" * MIB), decide_timeout=0.1) as (running, connection):
        assert connection.getresponse().status == httpx.codes.SERVICE_UNAVAILABLE
        wait_for(lambda: CLIENT.get(f"{running.health_url}/livez").status_code == httpx.codes.SERVICE_UNAVAILABLE)
        assert CLIENT.get(f"{running.health_url}/readyz").is_success
        metrics = CLIENT.get(f"{running.health_url}/metrics").text

    assert "metahook_calls_late 1.0" in metrics
    assert "metahook_calls_in_flight 1.0" in metrics
