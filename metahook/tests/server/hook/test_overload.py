"""Overload: what is too much at a time gets 429, and what takes too long 503; the hook then serves on."""

import asyncio
import gc
import socket
import threading
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPResponse
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message

from metahook import Body, Controller, MalformedRequest, SyncRequest, SyncResponse
from metahook.protocol.bodies import RequestRule
from metahook.server.app import ServerOptions, create_app
from metahook.server.callers.tokens import Tokens
from metahook.server.connections import body_memory
from metahook.server.connections.connection import STATE
from metahook.server.connections.connections import Connections
from metahook.server.lifecycle.address import Address
from metahook.server.lifecycle.server import create_server
from metahook.server.limits import Limits
from metahook.server.refusal import TOO_MANY_REQUESTS, malformed
from toolkit.hooks.minimal import PARENT, TINY, controller, sync_body
from toolkit.served.asgi import JSON
from toolkit.served.refusals import error, refusal
from toolkit.waiting import eventually

Json = dict[str, Any]

MIB = 1024 * 1024
PATIENCE = 10
BUSY = "too many requests at the same time"
TOO_LONG = "the hook did not decide in time"
BODY = sync_body()
LARGE = sync_body(later="x" * 2 * MIB)


class OneLargeBody(Limits):
    """Limits that a second large body exceeds."""

    max_large_bodies = 1


async def post(app: ASGIApp, content: bytes) -> httpx.Response:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://hook") as client:
        return await client.post("/sync", content=content, headers=JSON)


@pytest.mark.parametrize(("most", "busy"), [(2, 4), (6, 0)], ids=["two may be in flight", "all may"])
def test_requests_in_flight_beyond_the_limit_get_429(most: int, busy: int) -> None:
    """They arrive while the hook blocks the event loop, as they do under overload."""
    blocks, released = threading.Event(), threading.Event()

    def decide(request: SyncRequest) -> SyncResponse:
        if request.parent.generation == 1:
            blocks.set()
            released.wait(PATIENCE)
        return SyncResponse({"a": 1})

    with serving(Limits(max_in_flight=most), quick(decide)) as (address, _):
        first = sent(address, sync_body(parent=with_generation(1)))
        assert blocks.wait(PATIENCE)
        crowd = [sent(address, BODY) for _ in range(6)]
        released.set()
        answers = [received(client) for client in crowd]
        assert received(first).status == received(sent(address, BODY)).status == 200
    refused = [answer for answer in answers if answer.status == 429]

    assert (len(refused), [answer.status for answer in answers].count(200)) == (busy, most)
    assert {error(answer.read()) for answer in refused} <= {BUSY}
    assert {answer.headers["retry-after"] for answer in refused} <= set("12345")


def test_strangers_take_no_place_of_those_who_may_call(tmp_path: Path) -> None:
    """They all arrive while the hook blocks the event loop."""
    token = tmp_path / "token"
    token.write_text("a-token")
    blocks, released = threading.Event(), threading.Event()
    caller = "Authorization: Bearer a-token"

    def decide(_: SyncRequest) -> SyncResponse:
        blocks.set()
        released.wait(PATIENCE)
        return SyncResponse({"a": 1})

    limits = Limits(max_in_flight=2)
    with serving(limits, quick(decide), Tokens(token)) as (address, _):
        first = sent(address, BODY, caller)
        assert blocks.wait(PATIENCE)
        strangers = [sent(address, b"", line=line) for line in ("GET / HTTP/1.1", "POST /sync HTTP/1.1") * 4]
        callers = [sent(address, BODY, caller), sent(address, BODY, caller, line="POST /none HTTP/1.1")]
        released.set()

        assert [received(client).status for client in (first, *callers, *strangers)] == [200, 200, 404, *[401] * 8]


def quick(decide: Callable[[SyncRequest], SyncResponse]) -> Controller:
    """Return a controller that decides in the event loop."""
    return replace(controller(decide), quick=True)


@pytest.mark.parametrize("body", [BODY, sync_body(later="x" * 300 * 1024)], ids=["short", "long"])
def test_a_hook_that_waits_holds_up_no_other_call(body: bytes) -> None:
    both = threading.Barrier(2)  # each waits until the other has begun

    def decide(_: SyncRequest) -> SyncResponse:
        both.wait(PATIENCE)
        return SyncResponse({"a": 1})

    with serving(Limits(), controller(decide)) as (address, _):
        first = sent(address, body)
        assert received(sent(address, b"", line="GET /openapi.json HTTP/1.1")).status == 200
        second = sent(address, body)
        assert [received(client).status for client in (first, second)] == [200, 200]


def sent(address: tuple[str, int], content: bytes, *headers: str, line: str = "POST /sync HTTP/1.1") -> socket.socket:
    """Return a connection on which a request with *content* has been sent."""
    client = socket.create_connection(address, timeout=PATIENCE)
    client.sendall(request(content, *headers, line=line))
    return client


def request(content: bytes, *headers: str, line: str = "POST /sync HTTP/1.1") -> bytes:
    lines = (line, "Host: a", "Content-Type: application/json", f"Content-Length: {len(content)}", *headers)
    return "\r\n".join((*lines, "", "")).encode() + content


def received(client: socket.socket) -> HTTPResponse:
    """Return the response to what was sent on *client*."""
    with client:
        response = HTTPResponse(client)
        response.begin()
        return response


def with_generation(generation: int) -> Json:
    return {**PARENT, "metadata": {**PARENT["metadata"], "generation": generation}}


@contextmanager
def serving(
    limits: Limits, served: Controller, tokens: Tokens | None = None
) -> Iterator[tuple[tuple[str, int], Connections]]:
    """Serve *served* in a thread until the block ends; yield the address, and the connections."""
    connections = Connections(limits)
    app = create_app(served, ServerOptions(limits, tokens=tokens))
    server = create_server(app, ServerOptions(limits), connections=connections)
    with Address("127.0.0.1", 0).listen() as listener:
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
        thread.start()
        try:
            yield listener.getsockname(), connections
        finally:
            server.should_exit = True
            thread.join(PATIENCE)


def test_a_request_leaves_the_flight_when_it_is_answered_or_its_client_is_gone() -> None:
    with serving(Limits(), TINY) as (address, connections):
        assert [received(sent(address, BODY)).status for _ in range(3)] == [200] * 3
        sent(address, LARGE[: len(LARGE) // 2]).close()
        assert eventually(lambda: connections.count == 0)
        assert connections.in_flight == 0


@dataclass
class Full:
    """The connection of a request over the limit."""

    is_over_limit: bool = True
    is_crowded: bool = True

    def count_call(self) -> None:
        """Count nothing."""

    def end_if_left(self) -> bool:
        """Tell that the client is there."""
        return False


async def status_of(
    app: ASGIApp, path: str, content: bytes | None = None, state: Mapping[str, Full] = MappingProxyType({})
) -> int:
    """Return the status of the response to a request with *content*, or with a body that can't be read."""
    statuses: list[int] = []

    async def receive() -> Message:
        if content is None:
            raise AssertionError
        return {"type": "http.request", "body": content}

    async def send(message: Message) -> None:
        statuses.extend([message["status"]] if "status" in message else [])

    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(content or b"{}"))]
    scope = {"type": "http", "method": "POST", "path": path, "headers": headers, "query_string": b"", "root_path": ""}
    await app({**scope, "state": {**state}}, receive, send)
    return statuses[0]


@pytest.mark.parametrize(("state", "status"), [({STATE: Full()}, 429), ({}, 500)], ids=["full", "not full"])
def test_while_too_many_requests_are_in_flight_no_body_is_read(state: dict[str, Full], status: int) -> None:
    app = create_app(TINY)

    assert asyncio.run(status_of(app, "/sync", state=state)) == status
    assert asyncio.run(status_of(app, "/other", state=state)) == 404


def test_a_caller_without_a_token_gets_401_while_too_many_requests_are_in_flight(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("a-token")
    app = create_app(TINY, ServerOptions(tokens=Tokens(token)))

    assert asyncio.run(status_of(app, "/sync", BODY, {STATE: Full()})) == 401


def test_a_long_body_that_arrived_while_others_did_is_refused_and_gives_its_memory_back() -> None:
    app = create_app(TINY, ServerOptions(OneLargeBody()))

    class Filling(Full):
        """The connection of a request over the limit once its body has arrived."""

        looks = 0
        is_crowded = False

        @property
        def is_over_limit(self) -> bool:
            self.looks += 1
            return self.looks > 1

        @is_over_limit.setter
        def is_over_limit(self, _: bool) -> None:
            """Keep the number of looks."""

    async def played() -> list[int]:
        full = [await status_of(app, "/sync", LARGE, {STATE: Filling()}) for _ in range(3)]
        return [*full, await status_of(app, "/sync", LARGE)]

    assert asyncio.run(played()) == [429, 429, 429, 200]


async def kept_after(app: ASGIApp) -> int:
    """Return how many bytes are kept after 8 malformed requests of 2 MiB, without a run of the collector.

    The two threads may still hold the last ones.
    """
    malformed_body = b"[" + LARGE
    await status_of(app, "/sync", malformed_body)
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        for _ in range(8):
            assert await status_of(app, "/sync", malformed_body) == 400
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
        gc.enable()


def with_errors_of_a_thread() -> ASGIApp:
    """Return an app that takes the error for a malformed body from the thread that decided."""
    pool = ThreadPoolExecutor(2)

    def decide(content: Body) -> Response:
        raise MalformedRequest(RequestRule.JSON) from ValueError(content[:1])

    async def respond(request: Request) -> Response:
        try:
            future = pool.submit(decide, await request.body())
            return await asyncio.shield(asyncio.wrap_future(future))
        except MalformedRequest as error:
            return malformed(error).response("")

    return Starlette(routes=[Route("/sync", respond, methods=["POST"])])


def test_a_malformed_body_leaves_memory_at_once() -> None:
    assert asyncio.run(kept_after(create_app(TINY))) < 5 * MIB
    assert asyncio.run(kept_after(with_errors_of_a_thread())) > 12 * MIB


def test_refused_requests_do_not_all_come_back_at_the_same_time() -> None:
    assert {TOO_MANY_REQUESTS.response("").headers["retry-after"] for _ in range(200)} == set("12345")


@contextmanager
def blocked(limits: Limits) -> Iterator[tuple[ASGIApp, threading.Event]]:
    """Yield an app whose hook waits for the event, which is set when the block ends."""
    go_on = threading.Event()

    def wait(_: SyncRequest) -> SyncResponse:
        go_on.wait()
        return SyncResponse(status={"a": 1})

    try:
        yield create_app(controller(wait), ServerOptions(limits)), go_on
    finally:
        go_on.set()


def test_a_decision_that_takes_too_long_is_a_503_and_its_memory_is_held_until_it_ends(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "metahook")
    monkeypatch.setattr(body_memory, "WAIT", 0.01)

    async def played(app: ASGIApp, go_on: threading.Event) -> None:
        late, refused = await post(app, LARGE), await post(app, LARGE)
        assert refusal(late) == (503, TOO_LONG)
        assert refusal(refused) == (429, BUSY)

        go_on.set()
        while (answer := await post(app, LARGE)).status_code == 429:
            pass
        assert answer.status_code == 200

    with blocked(OneLargeBody(decide_timeout=0.2)) as (app, go_on):
        asyncio.run(asyncio.wait_for(played(app, go_on), 30))
    # Once each: what the thread decides too late is not reported.
    assert [line.rpartition("status=")[2][:3] for line in caplog.messages if "hook called" in line] == ["503", "200"]


def test_a_short_request_that_the_hook_does_not_decide_in_time_gets_the_same_503() -> None:
    with blocked(Limits(decide_timeout=0.05)) as (app, _):
        assert refusal(asyncio.run(post(app, BODY))) == (503, TOO_LONG)


def test_requests_for_a_hook_that_never_returns_leave_memory_at_once() -> None:
    long = sync_body(later="x" * 512 * 1024)

    async def played(app: ASGIApp) -> int:
        assert refusal(await post(app, long)) == (503, TOO_LONG)
        tracemalloc.start()
        try:
            for _ in range(8):
                assert refusal(await post(app, long)) == (503, TOO_LONG)
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    with blocked(Limits(max_in_flight=1, decide_timeout=0.02)) as (app, _):
        assert asyncio.run(played(app)) < 2 * MIB


def test_a_large_decision_that_never_ends_does_not_stop_the_garbage_collector() -> None:
    with blocked(Limits(decide_timeout=0.05)) as (app, _):
        assert refusal(asyncio.run(post(app, LARGE))) == (503, TOO_LONG)
        assert gc.isenabled()


ONE_OF = {
    "all threads": (Limits(decide_timeout=0.05, max_in_flight=2), [BODY, BODY], True),
    "not all": (Limits(decide_timeout=0.05, max_in_flight=3), [BODY, BODY], False),
    "the one for large bodies": (Limits(decide_timeout=0.05), [LARGE], True),
}


@pytest.mark.parametrize(("limits", "bodies", "are_all"), ONE_OF.values(), ids=ONE_OF)
def test_when_all_threads_have_been_late_for_long_the_process_is_stuck_until_one_returns(
    limits: Limits, bodies: list[bytes], monkeypatch: pytest.MonkeyPatch, *, are_all: bool
) -> None:
    async def played(app: Any, go_on: threading.Event) -> None:
        calls = app.state.calls
        assert (calls.late, calls.is_stuck) == (0, False)
        for body in bodies:
            assert refusal(await post(app, body)) == (503, TOO_LONG)
        assert (calls.late, calls.is_stuck) == (len(bodies), False)  # not yet
        monkeypatch.setattr("metahook.server.hook.calls.STUCK", 0)
        assert calls.is_stuck is are_all

        go_on.set()
        while calls.late:  # noqa: ASYNC110 - the threads end
            await asyncio.sleep(0.01)
        assert not calls.is_stuck
        assert (await post(app, BODY)).status_code == 200

    with blocked(limits) as (app, go_on):
        asyncio.run(asyncio.wait_for(played(app, go_on), 30))


COSTLY, CHEAP = (
    sync_body(later="@").replace(b'"@"', fill)
    for fill in (b"[" + b"{}," * 340_000 + b"1]", b'"' + 900_000 * b"x" + b'"')
)


@pytest.mark.parametrize(("body", "at_once"), [(COSTLY, 1), (CHEAP, 4)], ids=["costly", "cheap"])
def test_small_bodies_that_take_much_memory_decoded_are_decided_about_one_after_the_other(
    body: bytes, at_once: int
) -> None:
    """A body that is decided about in time has its turn; one that is late keeps no other out."""
    began = threading.Semaphore(0)
    go_on = threading.Event()

    def wait(_: SyncRequest) -> SyncResponse:
        began.release()
        go_on.wait()
        return SyncResponse({"a": 1})

    async def played(app: ASGIApp) -> None:
        posted = [asyncio.create_task(post(app, body)) for _ in range(4)]
        for _ in range(at_once):
            assert await asyncio.to_thread(began.acquire, timeout=PATIENCE)
        await asyncio.sleep(0.2)
        assert not began.acquire(blocking=False)
        go_on.set()
        assert [(await each).status_code for each in posted] == [200] * 4

    try:
        asyncio.run(played(create_app(controller(wait))))
    finally:
        go_on.set()


def test_a_late_call_keeps_no_other_out_by_the_memory_that_it_takes() -> None:
    async def played(app: Any) -> None:
        assert [(await post(app, COSTLY)).status_code for _ in range(2)] == [503, 503]
        assert app.state.calls.late == 2

    with blocked(Limits(decide_timeout=0.3)) as (app, _):
        asyncio.run(asyncio.wait_for(played(app), 30))


def test_large_bodies_wait_for_a_while_and_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_memory, "WAITING", 1)

    async def played(app: ASGIApp, go_on: threading.Event) -> None:
        first = asyncio.create_task(post(app, LARGE))
        await asyncio.sleep(0.1)
        second = asyncio.create_task(post(app, LARGE))
        await asyncio.sleep(0.1)
        assert (await post(app, LARGE)).status_code == 429
        go_on.set()
        assert [(await task).status_code for task in (first, second)] == [200, 200]

    with blocked(OneLargeBody()) as (app, go_on):
        asyncio.run(asyncio.wait_for(played(app, go_on), 30))
