"""Limits of connections, each with a control, which shows that uvicorn alone does not have the limit."""

import asyncio
import gc
import logging
import os
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from http.client import HTTPResponse
from inspect import getsource
from pathlib import Path
from select import select
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn
import uvloop
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from metahook import SyncRequest, SyncResponse
from metahook.server.app import ServerOptions, create_app
from metahook.server.connections.connection import Connection
from metahook.server.connections.connections import Connections
from metahook.server.connections.overload import OverloadCheck
from metahook.server.hook.calls import LONG
from metahook.server.lifecycle.address import Address
from metahook.server.lifecycle.listener import Listener
from metahook.server.lifecycle.server import create_server
from metahook.server.limits import Limits
from metahook.server.refusal import LEFT, Refusal
from metahook.server.telemetry.log_event import LogEvent
from toolkit.hooks.minimal import TINY, controller, sync_body
from toolkit.served.modes import MODES, Mode, create_mode, is_closed, read_answer

PATIENCE = 10
BODY = sync_body()


class Short(Limits):
    """Limits of a server for which no test has to wait."""

    idle_timeout = head_timeout = write_timeout = 0.1


SHORT = Short(body_timeout=0.1)
LONG_RESPONSE = 32 * 1024 * 1024


@dataclass
class Server:
    """A server on loopback, in a thread."""

    port: int
    stop: Callable[[], None]
    """Begins the shutdown."""
    closed: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    """Where in the code it failed."""

    def connect(self, *sent: bytes) -> socket.socket:
        """Return a connection on which *sent* has been sent."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        connection.sendall(b"".join(sent))
        return connection


@contextmanager
def serving(limits: Limits = SHORT, app: ASGIApp | None = None, *, plain: bool = False) -> Iterator[Server]:
    """Serve *app* (default: the tiny controller) until the block ends; *plain* is with uvicorn's own connections."""
    with Address("127.0.0.1", 0).listen() as listener:
        options, closed, places = ServerOptions(limits, stop_timeout=1), list[str](), list[str]()

        def refused(refusal: Refusal, place: str) -> bytes:
            places.extend([place] if place else [])
            return refusal.body("")

        served = app or create_app(TINY, options)
        server: uvicorn.Server = create_server(served, options, connections=Connections(limits, closed.append, refused))
        if plain:
            server = uvicorn.Server(uvicorn.Config(served, http=HttpToolsProtocol, lifespan="off", log_config=None))
        running = Server(listener.getsockname()[1], partial(setattr, server, "should_exit", True), closed, places)  # noqa: FBT003
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
        thread.start()
        try:
            wait_for(lambda: server.started)
            yield running
        finally:
            server.should_exit = server.force_exit = True
            thread.join(PATIENCE)


def wait_for(reached: Callable[[], bool]) -> None:
    """Wait until *reached* returns true."""
    end = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.01)


def received(connection: socket.socket) -> bytes:
    """Return what the server sends until it closes *connection*."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def request(*headers: str, line: str = "POST /sync HTTP/1.1", length: int = len(BODY)) -> bytes:
    """Return a head."""
    given = ("Host: hook", "Content-Type: application/json", f"Content-Length: {length}", *headers)
    return "\r\n".join((line, *given, "", "")).encode()


def is_open(connection: socket.socket) -> bool:
    """Tell whether the server neither sends anything nor closes *connection* for a while."""
    return select([connection], [], [], 0.2) == ([], [], [])


def refusal(status: str, message: str) -> bytes:
    body = b'{"error": "%s"}' % message.encode()
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close"
    return head.encode() + b"\r\n\r\n" + body


TOO_SLOW = refusal("408 Request Timeout", "the request was not sent in time")
NOT_HTTP = refusal("400 Bad Request", "the request is not HTTP/1.1")

HALF = b"POST /sync HTTP/1.1\r\nHost: ho"
SLOW = {
    "silent": (b"", b"", "idle_timeout"),
    "half a head": (HALF, TOO_SLOW, None),
    "lines before a request": (b"\r\n", TOO_SLOW, None),
    "half of a body that is not read": (request(line="POST /x HTTP/1.1") + b"{", None, "body_timeout"),
}


@pytest.mark.parametrize(("plain", "status"), [(False, b"HTTP/1.1 200 OK"), (True, b"")], ids=["ours", "uvicorn"])
def test_a_request_whose_head_is_incomplete_at_the_shutdown_is_answered(*, plain: bool, status: bytes) -> None:
    head = request("Connection: close")
    with (
        serving(Limits(), plain=plain) as server,
        server.connect(head[:20]) as client,
        server.connect(request(), BODY) as idle,
    ):
        read_response(idle)
        server.stop()
        assert received(idle) == b""
        with suppress(ConnectionError):
            client.sendall(head[20:] + BODY)
        response = received(client)

    assert response.partition(b"\r\n")[0] == status


@pytest.mark.parametrize(("sent", "response", "limit"), SLOW.values(), ids=SLOW.keys())
def test_a_client_that_does_not_go_on_is_closed(sent: bytes, response: bytes | None, limit: str | None) -> None:
    with serving() as server, server.connect(sent) as client:
        answer = received(client)

    assert answer.startswith(b"HTTP/1.1 404 ") if response is None else answer == response
    assert server.closed == ([] if limit is None else [limit])


def test_uvicorn_alone_waits_for_each_of_these_clients() -> None:
    with serving(plain=True) as server:
        clients = [server.connect(sent) for sent, *_ in SLOW.values()]
        read_response(clients[-1])
        assert select(clients, [], [], 0.5) == ([], [], [])
        for client in clients:
            client.close()


def test_bytes_that_trickle_do_not_prolong_a_body_that_is_not_read() -> None:
    with serving() as server, server.connect(request(line="POST /x HTTP/1.1", length=10_000)) as client:
        wait_for(lambda: sends(client) is False)

    assert server.closed == ["body_timeout"]


def sends(client: socket.socket) -> bool:
    """Send one byte on *client*; tell whether it is open."""
    try:
        client.sendall(b"x")
    except OSError:
        return False
    return True


async def respond_at_length(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond with more than the buffers of a socket hold."""
    await Response(b"x" * LONG_RESPONSE)(scope, receive, send)


def test_a_client_that_does_not_take_its_response_is_closed() -> None:
    with serving(app=respond_at_length) as server, server.connect(request(), BODY) as client:
        wait_for(lambda: server.closed == ["write_timeout"])
        assert len(received(client)) < LONG_RESPONSE


def test_each_response_has_its_own_time_to_be_taken() -> None:
    """The control: a client that has not taken its first response is closed at the time that was set for it."""

    class Patient(Short):
        write_timeout = 1

    with serving(Patient(), respond_at_length) as server:
        prompt, control = clients = [server.connect(request(), BODY) for _ in range(2)]
        read_response(prompt)
        time.sleep(0.7)
        for client in clients:
            client.sendall(request() + BODY)
        wait_for(lambda: len(server.closed) > 0)
        time.sleep(0.2)

        assert read_response(prompt) == HTTPStatus.OK
        assert len(received(control)) < LONG_RESPONSE
        for client in clients:
            client.close()


def test_a_client_that_goes_on_sending_has_no_more_time_to_take_its_first_response(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The server's buffer takes the next responses, so they don't wait for the first one."""
    connection_made, sizes, responded = Connection.connection_made, iter([LONG_RESPONSE]), threading.Event()

    def with_a_large_buffer(self: Connection, transport: asyncio.Transport) -> None:
        connection_made(self, transport)
        transport.set_write_buffer_limits(2 * LONG_RESPONSE)

    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        await Response(b"x" * next(sizes, 1))(scope, receive, send)
        responded.set()

    monkeypatch.setattr(Connection, "connection_made", with_a_large_buffer)
    with serving(app=respond) as server, server.connect(request(), BODY) as client:

        def is_cut() -> bool:
            if responded.is_set():
                responded.clear()
                with suppress(OSError):
                    client.sendall(request() + BODY)
            return server.closed == ["write_timeout"]

        wait_for(is_cut)


@pytest.mark.parametrize("limits", [Limits(max_in_flight=1), Limits(max_connections=1)])
def test_a_client_that_does_not_take_its_responses_keeps_nobody_out(limits: Limits) -> None:
    """The second response waits until the first one is taken."""
    begun = list[Scope]()

    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        begun.append(scope)
        await respond_at_length(scope, receive, send)

    app = OverloadCheck(respond, ["/sync"], lambda refusal, _: refusal.response(""))
    with serving(limits, app) as server, server.connect(request(), BODY) as client:
        wait_for(lambda: len(begun) == 1)
        client.sendall(request() + BODY)
        wait_for(lambda: len(begun) == 2)
        with server.connect(request(), BODY) as other:
            assert other.recv(12) == b"HTTP/1.1 200"


def test_uvicorn_alone_waits_until_it_takes_the_response() -> None:
    with (
        serving(app=respond_at_length, plain=True) as server,
        server.connect(request("Connection: close"), BODY) as client,
    ):
        time.sleep(10 * SHORT.write_timeout)
        assert len(received(client)) > LONG_RESPONSE


# Memory

LONG_HEADER = f"X: {20_000 * 'x'}"
FEW = 20
MANY = FEW + 10


@pytest.fixture(name="few_heads")
def _few_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give incomplete heads less memory than in a server, in which more of them would fit."""
    monkeypatch.setattr("metahook.server.connections.connections.MAX_HEADS", FEW * 20_000)


INCOMPLETE = {
    "without its end": request(LONG_HEADER)[:-4],
    "before its body": request(LONG_HEADER),
    "before its body, in two parts": request(LONG_HEADER) + BODY[:1],
}


@pytest.mark.usefixtures("few_heads")
@pytest.mark.parametrize("sent", INCOMPLETE.values(), ids=INCOMPLETE)
def test_heads_of_requests_that_do_not_arrive_have_a_limit_and_the_oldest_give_way(sent: bytes) -> None:
    with serving(Limits()) as server, ExitStack() as stack:
        clients = [stack.enter_context(server.connect(sent)) for _ in range(MANY)]
        wait_for(lambda: len(server.closed) >= MANY - FEW)
        with server.connect(request(), BODY) as client:
            assert read_response(client) == HTTPStatus.OK
        assert received(clients[0]) == b""
        assert is_open(clients[-1])

    assert set(server.closed) == {"heads"}


@pytest.mark.usefixtures("few_heads")
def test_heads_of_strangers_close_no_connection_that_has_got_a_200() -> None:
    with serving(Limits()) as server, ExitStack() as stack, server.connect(request(), BODY) as caller:
        read_response(caller)
        caller.sendall(request(LONG_HEADER))
        for _ in range(MANY):
            stack.enter_context(server.connect(request(LONG_HEADER)[:-4]))
        wait_for(lambda: len(server.closed) >= MANY - FEW)
        caller.sendall(BODY)
        assert read_response(caller) == HTTPStatus.OK


@pytest.mark.usefixtures("few_heads")
def test_heads_of_requests_that_have_arrived_leave_their_memory() -> None:
    with serving(Limits()) as server:
        for _ in range(MANY):
            with server.connect(request(LONG_HEADER)[:-4], request(LONG_HEADER)[-4:], BODY) as client:
                assert received(client).startswith(b"HTTP/1.1 200 ")

    assert server.closed == []


def test_a_long_head_ends_its_connection_because_it_would_stay_in_memory() -> None:
    with serving(Limits()) as server:
        with server.connect(request("X: " + 8_000 * "x"), BODY) as short, server.connect(request(), BODY) as other:
            assert [is_last(client) for client in (short, other)] == [False, False]
        with server.connect(request(LONG_HEADER), BODY) as long:
            assert is_last(long)


def is_last(client: socket.socket) -> bool:
    """Tell whether the response to *client* is the last one on its connection."""
    return read_answer(client).is_last


# Mistakes of the server


@pytest.mark.parametrize("step", ["_head_begins", "_head_ends", "_body_ends"])
def test_a_mistake_of_ours_while_a_request_arrives_is_a_500_with_its_place_in_the_log(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Connection) -> None:
        message = "canary"
        raise AttributeError(message)

    monkeypatch.setattr(Connection, step, fail)
    with serving(Limits()) as server, server.connect(request(), BODY) as client:
        answer = received(client)

    assert answer.startswith(b"HTTP/1.1 500 ")
    assert b"HTTP/1.1" not in answer.partition(b"\r\n")[2]
    assert [place.partition(":")[0] for place in server.places] == [f"AttributeError at {__file__}"]


# Malformed requests

GARBAGE = b"canary\r\n\r\n"


def test_of_a_malformed_request_uvicorn_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with serving(Limits()) as server, server.connect(GARBAGE) as client:
        assert received(client) == NOT_HTTP

    assert [record for record in caplog.records if record.name.startswith("uvicorn")] == []


def test_uvicorn_alone_refuses_in_another_form_and_logs_each_request(caplog: pytest.LogCaptureFixture) -> None:
    with serving(plain=True) as server, server.connect(GARBAGE) as client:
        assert received(client).endswith(b"\r\n\r\nInvalid HTTP request received.")

    assert caplog.messages == ["Invalid HTTP request received."]


def read_response(client: socket.socket) -> int:
    """Read a response from *client*; return its status."""
    with HTTPResponse(client) as response:
        response.begin()
        response.read()
        return response.status


def test_of_uvicorn_a_connection_uses_what_asyncio_calls_and_nothing_else() -> None:
    used = set(re.findall(r"self\._http\.(\w+)", getsource(Connection)))

    assert used == {name for name in vars(asyncio.Protocol) | vars(asyncio.BaseProtocol) if not name.startswith("_")}
    assert "._" not in re.sub(r"(self|longest)\._", "", getsource(Connection))


# How long a connection is used

AGE = 0.4


class Aged(Limits):
    """Limits of a server whose connections are old soon."""

    max_connection_age = AGE


def test_a_connection_that_is_old_ends_with_its_next_response() -> None:
    mode = Mode()
    with mode.serving(Aged()) as (connect, closed), connect() as client:
        answers = []
        for _ in range(2):
            client.sendall(mode.request())
            answers.append(read_answer(client))
            time.sleep(AGE)

        assert [(answer.status, answer.is_last) for answer in answers] == [(200, False), (200, True)]
        assert is_closed(client)
    assert closed == []


def test_connections_that_were_opened_together_do_not_become_old_together(monkeypatch: pytest.MonkeyPatch) -> None:
    async def played() -> set[bool]:
        """Return which of 50 connections end, after 90 % of their age."""
        connections, server, loop = Connections(Limits()), create_server(create_app(TINY)), asyncio.get_running_loop()
        options: Any = {"accepted": None, "abort": None, "config": server.config, "server_state": server.server_state}
        opened = [Connection(connections, **options) for _ in range(50)]
        now = loop.time() + 0.9 * Limits().max_connection_age
        with monkeypatch.context() as patched:
            patched.setattr(loop, "time", lambda: now)
            return {each.begin_response("POST", HTTPStatus.OK) for each in opened}

    assert asyncio.run(played()) == {True, False}


def test_a_request_that_arrives_while_its_connection_becomes_old_is_answered() -> None:
    mode = Mode()
    with mode.serving(Aged()) as (connect, _), connect() as client:
        client.sendall(mode.request()[:-10])
        time.sleep(AGE)
        client.sendall(mode.request()[-10:])
        answer = read_answer(client)

    assert (answer.status, answer.is_last) == (200, True)


# A client that closes its side


def close_side(client: socket.socket) -> None:
    """Close the client's side of TCP, whether or not *client* is over TLS."""
    with socket.socket(fileno=os.dup(client.fileno())) as same:
        same.shutdown(socket.SHUT_WR)


def statuses(caplog: pytest.LogCaptureFixture) -> list[object]:
    """Return the statuses in the log."""
    events = [record.msg for record in caplog.records if isinstance(record.msg, LogEvent)]
    return [event.fields["status"] for event in events if "status" in event.fields]


@pytest.mark.parametrize("size", [0, LONG], ids=["decided in the loop", "in a thread"])
@pytest.mark.parametrize("name", MODES)
def test_a_client_that_closes_its_side_before_its_response_gets_none_and_the_log_says_so(
    tmp_path: Path, name: str, size: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "metahook")
    begun, released = threading.Event(), threading.Event()

    def decide(_: SyncRequest) -> SyncResponse:
        begun.set()
        released.wait(PATIENCE)
        return SyncResponse({"a": 1})

    mode = create_mode(name, tmp_path)
    app = create_app(controller(decide))
    with mode.serving(app=app) as (connect, closed), mode.handshake(connect()) as client:
        client.sendall(mode.request(sync_body(later="x" * size)))
        assert begun.wait(PATIENCE)
        close_side(client)
        released.set()
        assert is_closed(client)
        wait_for(lambda: statuses(caplog) == [LEFT.status])

    assert closed == []


# A client that sends a body after its response

ABANDONED = request(line="POST /x HTTP/1.1", length=4)


def test_after_the_rest_of_a_body_that_is_not_read_the_next_request_is_waited_for_as_long_as_any_other() -> None:
    class Brief(Short):
        keep_alive = 1

    with serving(Brief()) as server, server.connect(ABANDONED) as client:
        assert read_response(client) == HTTPStatus.NOT_FOUND
        client.sendall(b"abcd")
        assert received(client) == b""

    assert server.closed == []


def test_a_head_that_begins_with_the_rest_of_a_body_has_its_own_time() -> None:
    with serving() as server, server.connect(ABANDONED) as client:
        assert read_response(client) == HTTPStatus.NOT_FOUND
        client.sendall(b"abcd" + HALF)
        assert received(client) == TOO_SLOW


def test_what_is_no_body_after_the_response_gets_no_second_one() -> None:
    chunked = request("Transfer-Encoding: chunked", line="POST /x HTTP/1.1").replace(b"Content-Length", b"X")
    with serving() as server, server.connect(chunked) as client:
        assert read_response(client) == HTTPStatus.NOT_FOUND
        client.sendall(b"no chunk\r\n")
        assert received(client) == b""


def test_a_client_that_is_gone_is_not_reported_for_a_limit() -> None:
    with serving() as server:
        with server.connect(request(line="POST /x HTTP/1.1")) as client:
            read_response(client)
        time.sleep(3 * SHORT.body_timeout)

    assert server.closed == []


@pytest.mark.parametrize("name", MODES[:2])
def test_a_client_that_pipelines_and_is_reset_before_its_first_response_is_no_failure(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    released, ended = threading.Event(), threading.Event()
    arrived = threading.Event()
    tiny = create_app(TINY)

    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        arrived.set()
        await asyncio.to_thread(released.wait, PATIENCE)
        try:
            await tiny(scope, receive, send)
        finally:
            ended.set()

    mode = create_mode(name, tmp_path)
    with mode.serving(app=respond) as (connect, _):
        with mode.handshake(connect()) as client:
            client.sendall(2 * mode.request())
            assert arrived.wait(PATIENCE)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        time.sleep(0.2)
        released.set()
        assert ended.wait(PATIENCE)

    assert [record.msg for record in caplog.records if record.exc_info or record.name.startswith("uvicorn")] == []


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
@pytest.mark.parametrize("fails", [False, True], ids=["cut", "failed"])
def test_a_connection_that_does_not_open_has_no_place_and_does_not_delay_a_stop(
    run: Callable[[Any], object], *, fails: bool
) -> None:
    async def played() -> None:
        connections, made = Connections(Limits()), list[Connection]()
        server = create_server(create_app(TINY), connections=connections)
        certificates: Any = SimpleNamespace(current=None) if fails else None

        def create(accepted: socket.socket, abort: Callable[[], object]) -> Connection:
            made.append(
                Connection(connections, accepted, abort, config=server.config, server_state=server.server_state)
            )
            return made[0]

        with Address("127.0.0.1", 0).listen() as listening:
            Listener(listening, create, connections, certificates).start()
            with socket.create_connection(listening.getsockname()):
                while not made:  # noqa: ASYNC110 - a turn later it is open
                    await asyncio.sleep(0)
                if not fails:
                    made[0].cut("")
                await asyncio.sleep(0.1)

        assert (connections.count, server.server_state.connections) == (0, set())

    run(played())
    gc.collect()  # logs the exception of the task, which has the connection


@pytest.mark.parametrize("url", ["http://hook", "http://["])
def test_a_url_without_a_path_is_refused_and_nothing_is_logged(url: str, caplog: pytest.LogCaptureFixture) -> None:
    with serving(Limits()) as server, server.connect(request(line=f"GET {url} HTTP/1.1", length=0)) as client:
        assert received(client) == NOT_HTTP

    assert [record for record in caplog.records if record.name.startswith("uvicorn")] == []


def test_no_connection_is_kept_in_memory_after_its_client_has_reset_it() -> None:
    with serving(Limits()) as server:
        for _ in range(10):
            with server.connect(request(), BODY) as client:
                read_response(client)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        time.sleep(0.2)
        gc.collect()

        assert [item for item in gc.get_objects() if isinstance(item, Connection)] == []
