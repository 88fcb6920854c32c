"""Direct responses: they are the ones of the app, and only plain requests get them."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from starlette.responses import Response
from starlette.types import Scope

from metahook import Body, Controller
from metahook.server import direct, endpoint, turns
from metahook.server.address import Address
from metahook.server.app import ServerOptions, create_app
from metahook.server.connections import Connections
from metahook.server.limits import Limits
from metahook.server.recording import Recorder
from metahook.server.reports import Reports
from metahook.server.server import create_server
from metahook.server.tokens import Tokens
from metahook.server.work import LONG
from tests.build import MYRESOURCE, NOW
from tests.fuzz.hostile import BODY, CASES, JSON, raw, response_to
from tests.tiny import TINY, sync_body

LIMITS = Limits(idle_timeout=1, head_timeout=1, body_timeout=1)
PATIENCE = 20
GIVEN = "Authorization: Bearer a-token"
OTHERS = {
    "a second request": raw() + raw(),
    "an old client": raw("POST /sync HTTP/1.0"),
    "the last request": raw("POST /sync HTTP/1.1", JSON, "Connection: close"),
    "a long body": raw(body=sync_body(padding="x" * LONG)),
    "a query": raw("POST /sync?rev=1 HTTP/1.1"),
    "customize": raw("POST /customize HTTP/1.1"),
    "no children": raw(body=b"{}"),
}


@dataclass
class Running:
    """A server, and the responses that it sent directly."""

    port: int
    direct: list[Response] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


@asynccontextmanager
async def serving(
    controller: Controller = MYRESOURCE,
    options: ServerOptions = ServerOptions(LIMITS),  # noqa: B008 - frozen
    *,
    is_direct: bool = True,
) -> AsyncIterator[Running]:
    """Serve *controller* until the block ends."""
    reports = Reports(new_id=lambda: "0badcafe")
    app = create_app(controller, options, clock=lambda: NOW, reports=reports)
    with Address("127.0.0.1", 0).listen() as listener:
        running = Running(listener.getsockname()[1])

        def try_respond(scope: Scope, body: Body, head_at: float) -> Response | None:
            response: Response | None = app.state.try_respond(scope, body, head_at)
            running.direct.extend([response] if response else [])
            return response

        connections = Connections(
            options.limits, refused=lambda refusal: refusal.body(reports.count_refusal("", refusal))
        )
        server = create_server(app, options, None, connections, try_respond if is_direct else None)
        served = asyncio.create_task(server.serve([listener]))
        await server.is_listening.wait()
        try:
            yield running
        finally:
            server.should_exit = server.force_exit = True
            await served


async def responses(requests: dict[str, bytes], *, is_direct: bool) -> tuple[dict[str, tuple[bytes, bool]], int]:
    """Return the responses to *requests*, without what differs each time, and how many of them were direct."""
    gate = asyncio.Semaphore(20)

    async def one(port: int, name: str) -> tuple[bytes, bool]:
        async with gate:
            is_finished = not name.startswith("unfinished")
            received, is_reset = await response_to(port, requests[name], PATIENCE, is_finished=is_finished)
        return re.sub(rb"date: [^\r]+", b"", received), is_reset

    async with serving(is_direct=is_direct) as running:
        found = await asyncio.gather(*(one(running.port, name) for name in requests))
    return dict(zip(requests, found, strict=True)), len(running.direct)


def test_direct_responses_are_those_of_the_app_byte_for_byte() -> None:
    requests = {**CASES, **OTHERS}
    del requests["unfinished: a length that is too short"]  # the app responds too late: the client's side is closed

    directly, count = asyncio.run(responses(requests, is_direct=True))
    by_app, none = asyncio.run(responses(requests, is_direct=False))

    assert directly == by_app
    assert (count > 100, none) == (True, 0)


def test_a_direct_response_that_differs_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "STATUS_LINE", {200: b"HTTP/1.1 201 Created\r\n"})
    requests = {"plain": raw()}

    assert asyncio.run(responses(requests, is_direct=True)) != asyncio.run(responses(requests, is_direct=False))


@pytest.mark.parametrize("is_direct", [True, False])
def test_an_error_around_the_hook_is_a_500(*, is_direct: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Body) -> None:
        raise MemoryError

    monkeypatch.setattr(endpoint, "sha256", fail)
    found, count = asyncio.run(responses({"plain": raw()}, is_direct=is_direct))

    assert found["plain"][0].startswith(b"HTTP/1.1 500 ")
    assert count == is_direct


# Which requests


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    (tmp_path / "token").write_text("a-token")
    return Tokens(tmp_path / "token")


PLAIN = raw("POST /sync HTTP/1.1", JSON, GIVEN)
LEFT_TO_THE_APP = {
    "another path": raw("POST /other HTTP/1.1", JSON, GIVEN),
    "another method": raw("PUT /sync HTTP/1.1", JSON, GIVEN),
    "no token": raw(),
    "another type": raw("POST /sync HTTP/1.1", "Content-Type: text/plain", GIVEN),
    "an encoding": raw("POST /sync HTTP/1.1", JSON, GIVEN, "Content-Encoding: gzip"),
    "a client that waits": raw("POST /sync HTTP/1.1", JSON, GIVEN, "Expect: 100-continue"),
    "a long body": raw("POST /sync HTTP/1.1", JSON, GIVEN, body=sync_body(padding="x" * LONG)),
}


async def direct_responses(options: ServerOptions, *requests: bytes, pause: float = 0) -> tuple[int, int]:
    """Return how many responses a connection gets to *requests*, each in pieces, and how many of them are direct."""
    async with serving(TINY, options) as running:
        reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
        for request in requests:
            writer.write(request[:-10])
            if pause:
                await asyncio.sleep(pause)
            writer.write(request[-10:])
            await asyncio.wait_for(reader.readuntil(b"}"), PATIENCE)
        writer.close()
    return len(requests), len(running.direct)


def test_a_plain_request_gets_a_direct_response(tokens: Tokens) -> None:
    assert asyncio.run(direct_responses(ServerOptions(LIMITS, tokens=tokens), PLAIN)) == (1, 1)


@pytest.mark.parametrize("request_", LEFT_TO_THE_APP.values(), ids=LEFT_TO_THE_APP.keys())
def test_any_other_request_is_left_to_the_app(request_: bytes, tokens: Tokens) -> None:
    assert asyncio.run(direct_responses(ServerOptions(LIMITS, tokens=tokens), request_)) == (1, 0)


def test_a_request_that_is_too_long_is_left_to_the_app() -> None:
    limits = replace(LIMITS, max_body=len(BODY))

    assert asyncio.run(direct_responses(ServerOptions(limits), raw(body=BODY + b" "))) == (1, 0)


def test_a_request_that_is_recorded_is_left_to_the_app(tmp_path: Path) -> None:
    options = ServerOptions(LIMITS, recorder=Recorder(tmp_path, 10**9, "1"))

    assert asyncio.run(direct_responses(options, raw())) == (1, 0)


def test_after_a_slice_requests_are_left_to_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "SLICE", 0)

    assert asyncio.run(direct_responses(ServerOptions(LIMITS), raw(), raw())) == (2, 0)


def test_what_arrives_together_beyond_the_limit_gets_429() -> None:
    async def statuses() -> list[int]:
        async with serving(TINY, ServerOptions(replace(LIMITS, max_in_flight=2))) as running:
            opened = [await asyncio.open_connection("127.0.0.1", running.port) for _ in range(6)]
            for _, writer in opened:
                writer.write(raw(body=sync_body()))  # at once; the server reads when this coroutine waits
            heads = [await asyncio.wait_for(reader.readuntil(b"}"), PATIENCE) for reader, _ in opened]
            for _, writer in opened:
                writer.close()
            assert len(running.direct) == 6
        return sorted(int(head.split()[1]) for head in heads)

    assert asyncio.run(statuses()) == [200, 200, 429, 429, 429, 429]


def test_requests_that_do_not_arrive_together_are_not_counted_together() -> None:
    options = ServerOptions(replace(LIMITS, max_in_flight=1))

    assert asyncio.run(direct_responses(options, *[raw(body=sync_body())] * 5)) == (5, 5)


# Requests in pieces


def test_the_rest_of_a_body_is_waited_for_if_the_client_has_got_a_200(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first response is the app's: what clients send that are not known yet must not take memory."""
    monkeypatch.setattr(direct, "REST_TIMEOUT", PATIENCE)

    assert asyncio.run(
        direct_responses(ServerOptions(LIMITS), raw(body=sync_body()), raw(body=sync_body()), pause=0.05)
    ) == (2, 1)


def test_the_rest_of_a_body_is_not_waited_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "REST_TIMEOUT", 0.001)

    assert asyncio.run(
        direct_responses(ServerOptions(LIMITS), raw(body=sync_body()), raw(body=sync_body()), pause=0.2)
    ) == (2, 0)


def test_a_body_in_pieces_may_be_cut_off_or_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever happens while the rest is waited for, the server goes on."""
    monkeypatch.setattr(direct, "REST_TIMEOUT", 0.05)

    async def played() -> bytes:
        async with serving(TINY, ServerOptions(replace(LIMITS, body_timeout=0.1))) as running:
            gone, late = [await asyncio.open_connection("127.0.0.1", running.port) for _ in range(2)]
            for reader, writer in (gone, late):
                writer.write(raw(body=sync_body()))
                await reader.readuntil(b"}")
                writer.write(raw(body=sync_body())[:-10])
            await asyncio.sleep(0.01)
            gone[1].close()
            response = await asyncio.wait_for(late[0].read(), PATIENCE)
            late[1].close()
            return response

    assert b"HTTP/1.1 408 " in asyncio.run(played())
