"""Bodies within limits: how long, of which type."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping

import pytest
from starlette.requests import Request
from starlette.types import Message, Receive

from metahook.protocol.bodies import MAX_BODY
from metahook.server import refusal as refusals
from metahook.server.app import ServerOptions, create_app
from metahook.server.connections import body_memory
from metahook.server.connections.body import Bodies
from metahook.server.limits import Limits
from metahook.server.refusal import Refused
from metahook.server.telemetry.telemetry import Telemetry
from toolkit.builders import NOW
from toolkit.hooks.minimal import TINY, sync_body
from toolkit.served.asgi import JSON, call
from toolkit.served.refusals import refusal

BODY = sync_body()
EXACT = create_app(TINY, ServerOptions(Limits(max_body=len(BODY))), clock=lambda: NOW)
SHORT = create_app(TINY, ServerOptions(Limits(max_body=len(BODY) - 1)), clock=lambda: NOW)
JSON_BYTES = [(name.encode(), value.encode()) for name, value in JSON.items()]
TOO_LARGE = (413, "the request is too large")


def test_a_body_is_counted_even_if_its_content_length_is_smaller() -> None:
    response = call(SHORT, "/sync", BODY, headers={"content-type": "application/json", "content-length": "2"})

    assert refusal(response) == TOO_LARGE


def exchange(
    receive: Receive,
    headers: Mapping[str, str] = JSON,
    *,
    max_body: int = 1_000,
    note: Callable[[], object] = lambda: None,
) -> list[Message]:
    """Return what the app sends to a client whose body is what *receive* returns, and what *note* said just then."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append({**message, "noted": note()})

    encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/sync", "headers": encoded, "query_string": b""}
    asyncio.run(create_app(TINY, ServerOptions(Limits(max_body=max_body)))(scope, receive, send))
    return sent


@pytest.mark.parametrize(
    ("headers", "status", "pieces"),
    [(JSON, 413, 11), ({**JSON, "content-length": "1001"}, 413, 0), ({"content-type": "text/plain"}, 415, 0)],
    ids=["too long", "announced as too long", "of another type"],
)
def test_no_more_is_taken_of_a_long_body_than_it_needs_to_refuse_it(
    headers: dict[str, str], status: int, pieces: int
) -> None:
    taken = []

    async def long() -> Message:
        taken.append(b"x" * 100)
        return {"type": "http.request", "body": taken[-1], "more_body": len(taken) < 1_000}

    sent = exchange(long, headers, note=lambda: len(taken))

    assert (sent[0]["status"], sent[0]["noted"]) == (status, pieces)


def test_the_rest_of_a_body_that_is_too_long_is_dropped_after_the_answer() -> None:
    """A client that goes on sending into a closed connection may see a reset instead of the answer."""
    taken = []

    async def long() -> Message:
        taken.append(b"x" * 100)
        return {"type": "http.request", "body": taken[-1], "more_body": len(taken) < 50}

    sent = exchange(long, {**JSON, "content-length": "5000"}, note=lambda: len(taken))

    assert [(message["type"], message["noted"]) for message in sent] == [
        ("http.response.start", 0),
        ("http.response.body", 0),
        ("http.response.body", 50),
    ]


def test_a_client_that_never_ends_its_body_is_not_listened_to_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "DROP_WITHIN", 0.01)

    sent = exchange(never, {**JSON, "content-length": "5000"})

    assert (sent[0]["status"], sent[-1]["body"]) == (413, b"")


async def never() -> Message:
    await asyncio.Event().wait()
    raise AssertionError


def test_a_body_that_is_too_large_is_logged_with_the_limit(caplog: pytest.LogCaptureFixture) -> None:
    app = create_app(TINY, ServerOptions(Limits(max_body=3 * 1024 * 1024)))

    for path in ("/sync", "/customize"):
        call(app, path, b"canary" * 1_000_000)

    lines = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert [line.partition(" id=")[0] for line in lines] == [
        'request refused hook=/sync status=413 error="the request is too large" limit=max_body',
        'request refused hook=/customize status=413 error="the request is too large" limit=max_body',
    ]
    assert "canary" not in caplog.text


def test_a_client_that_leaves_is_neither_a_call_nor_a_refusal() -> None:
    reports = Telemetry()
    app = create_app(TINY, telemetry=reports)

    async def gone() -> Message:
        return {"type": "http.disconnect"}

    async def send(_: Message) -> None:
        """Send to nobody."""

    scope = {"type": "http", "method": "POST", "path": "/sync", "query_string": b"", "headers": JSON_BYTES}
    asyncio.run(app(scope, gone, send))

    assert (reports.calls, reports.refusals) == (0, 0)
    assert call(app, "/sync", BODY[:-1]).status_code == 400
    assert (reports.calls, reports.refusals) == (1, 1)


@pytest.mark.parametrize(
    ("length", "expected"),
    [("0" * 5000 + str(len(BODY)), 200), ("9" * 5000, 413), ("1" * 20, 413), ("-1", 400), ("\u00b2", 400), ("", 400)],
    ids=["leading zeros", "5000 digits", "20 digits", "negative", "a superscript", "empty"],
)
def test_a_length_that_is_no_usual_number_is_no_failure(length: str, expected: int) -> None:
    headers = [*JSON_BYTES, (b"content-length", length.encode("latin-1"))]

    async def whole() -> Message:
        return {"type": "http.request", "body": BODY}

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/sync", "query_string": b"", "headers": headers}
    asyncio.run(EXACT(scope, whole, send))

    assert sent[0]["status"] == expected


def test_the_service_as_it_is_takes_32_mib() -> None:
    assert MAX_BODY == 32 * 1024 * 1024
    assert call(create_app(TINY), "/sync", b"x" * (MAX_BODY + 1)).status_code == 413
    assert call(create_app(TINY), "/sync", sync_body(later="x" * 32_000_000)).status_code == 200


# How much at once, and for how long


def request(receive: Receive, length: int | None) -> Request:
    """Return a request whose body is what *receive* returns, and is said to be so long."""
    said = [] if length is None else [(b"content-length", str(length).encode())]
    headers = [(b"content-type", b"application/json"), *said]
    return Request({"type": "http", "method": "POST", "path": "/sync", "headers": headers}, receive)


class Sender:
    """A client that sends parts of these *sizes* at once, and the end only when it is told to go on if it *waits*."""

    def __init__(self, length: int | None, *sizes: int, waits: bool = False) -> None:
        self._sizes = list(sizes)
        self.asked = asyncio.Event()
        """Whether the end was asked for."""
        self.goes_on = asyncio.Event()
        self.request = request(self._receive, length)
        if not waits:
            self.goes_on.set()

    async def _receive(self) -> Message:
        if self._sizes:
            return {"type": "http.request", "body": b" " * self._sizes.pop(0), "more_body": True}
        self.asked.set()
        await self.goes_on.wait()
        return {"type": "http.request", "body": b"{}", "more_body": False}


async def read(bodies: Bodies, sender: Sender) -> bytes:
    buffer = await bodies.read(sender.request)
    try:
        return bytes(buffer.body.strip())
    finally:
        buffer.release()


async def settled() -> None:
    """Let every task go as far as it can."""
    for _ in range(20):
        await asyncio.sleep(0)


MOST = 4 * 1024 * 1024


HALF = 1024 * 1024 // 2
LARGE = (HALF, HALF, 1)
"""Parts of a body that is large."""


@pytest.mark.parametrize("length", [MOST, None], ids=["the longest", "no length is said"])
def test_a_third_large_body_waits_until_one_of_two_is_answered(length: int | None) -> None:
    async def played() -> None:
        bodies = Bodies(Limits(max_body=MOST))
        slow, other = Sender(length, *LARGE, waits=True), Sender(length, *LARGE, waits=True)
        third = Sender(length, *LARGE)
        tasks = [asyncio.create_task(read(bodies, sender)) for sender in (slow, other, third)]
        await settled()
        assert [sender.asked.is_set() for sender in (slow, other, third)] == [True, True, False]

        slow.goes_on.set()
        assert await tasks[2] == b"{}"
        other.goes_on.set()
        assert await asyncio.gather(*tasks) == [b"{}"] * 3

    asyncio.run(played())


@pytest.mark.parametrize(("sizes", "is_small"), [((HALF, HALF - 2), True), ((HALF, HALF - 1), False)])
def test_a_small_body_never_waits_for_large_ones(sizes: tuple[int, int], *, is_small: bool) -> None:
    async def played() -> None:
        bodies = Bodies(Limits(max_body=MOST))
        tasks = [asyncio.create_task(read(bodies, Sender(MOST, *LARGE, waits=True))) for _ in range(3)]
        await settled()
        tasks.append(asyncio.create_task(read(bodies, Sender(None, *sizes))))
        await settled()
        assert tasks[-1].done() is is_small
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(played())


@pytest.mark.parametrize("length", [MOST, None], ids=["announced", "chunked"])
def test_clients_that_announce_much_and_send_little_take_no_place(length: int | None) -> None:
    async def played() -> None:
        bodies = Bodies(Limits(max_body=MOST))
        slow = [asyncio.create_task(read(bodies, Sender(length, 1, waits=True))) for _ in range(20)]
        await settled()
        assert await asyncio.wait_for(read(bodies, Sender(MOST, *LARGE)), 1) == b"{}"
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)

    asyncio.run(played())


def test_the_large_body_that_has_been_arriving_for_longest_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_memory, "UNDISTURBED", 0.05)

    async def played() -> None:
        bodies = Bodies(Limits(max_body=MOST))
        first, second = Sender(MOST, *LARGE, waits=True), Sender(MOST, *LARGE, waits=True)
        gives_way, stays = asyncio.create_task(read(bodies, first)), asyncio.create_task(read(bodies, second))
        await asyncio.sleep(0.1)  # nobody waits yet
        assert await read(bodies, Sender(MOST, *LARGE)) == b"{}"
        assert await refused(gives_way) == 429
        second.goes_on.set()
        assert await stays == b"{}"

    asyncio.run(played())


def refused(reading: Awaitable[object]) -> Coroutine[None, None, int]:
    """Return the status that *reading* is refused with."""

    async def found() -> int:
        with pytest.raises(Refused) as raised:
            await reading
        return raised.value.refusal.status

    return found()


def test_a_slow_sender_is_refused_and_gives_its_memory_back() -> None:
    async def played() -> None:
        bodies = Bodies(Limits(max_body=MOST, body_timeout=0.01))
        slow = [refused(read(bodies, Sender(MOST, *sizes, waits=True))) for sizes in [LARGE, LARGE, ()]]

        assert await asyncio.gather(*slow) == [408] * 3
        assert await read(bodies, Sender(MOST)) == b"{}"

    asyncio.run(played())


@pytest.mark.parametrize(("is_answered", "status"), [(True, 408), (False, 429)], ids=["for a while", "in vain"])
def test_the_time_for_which_a_body_waits_for_a_place_is_part_of_its_time(*, is_answered: bool, status: int) -> None:
    async def played() -> None:
        bodies, loop = Bodies(Limits(max_body=MOST, body_timeout=0.4)), asyncio.get_running_loop()
        held = [await bodies.read(Sender(MOST, *LARGE).request) for _ in range(2)]
        waits = asyncio.create_task(refused(bodies.read(Sender(MOST, *LARGE, waits=True).request)))
        begin = loop.time()
        await asyncio.sleep(0.2)
        if is_answered:
            held[0].release()

        assert await waits == status
        assert loop.time() - begin < 0.55

    asyncio.run(played())


def test_a_body_that_is_longer_than_it_is_said_to_be_is_refused() -> None:
    assert asyncio.run(_status(Sender(1))) == 413


async def _status(sender: Sender) -> int:
    return await refused(read(Bodies(Limits(max_body=MOST)), sender))
