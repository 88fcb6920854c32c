"""Connections that do nothing take all places: others are served, and a connection in use stays.

Some send nothing, not even a TLS handshake, some have got a 200 and are idle. New ones of the first kind keep coming.
"""

import asyncio
import resource
import ssl
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from tests.service.attacks.senders import Results, send
from tests.service.attacks.target import REQUEST, Target, served
from toolkit.served.modes import MODES, Mode, create_mode

pytestmark = pytest.mark.attacks

HELD = 860
"""Connections that do nothing, of 800 that there may be."""
NEW, AT_ONCE = 120, 20
BODY = REQUEST.partition(b"\r\n\r\n")[2]
SECONDS = 10.0
RATE = 200
"""New silent connections in a second."""
FILES = 64
SENDERS = 100
SOON = 5.0
"""Seconds until the last of many new connections has its response while others are answered, on a busy machine."""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Callers:
    """Who calls a hook in *mode* at *port*."""

    def __init__(self, mode: Mode, port: int) -> None:
        self._port, self._mode = port, mode
        self.endings = Counter[str]()
        self.slowest = 0.0
        """Seconds until a new caller had its response."""
        self._open = list[Streams]()

    async def connect(self, client: ssl.SSLContext | None = None) -> Streams:
        """Return a new connection, over TLS if there is a context."""
        streams = await asyncio.open_connection("127.0.0.1", self._port, ssl=client)
        self._open.append(streams)
        return streams

    async def hold_silent(self) -> None:
        """Open a connection on which nothing is sent."""
        with suppress(OSError):
            await self.connect()

    async def call(self, streams: Streams | None = None) -> None:
        """Send a request on *streams*, or else on a new connection, which then stays open."""
        begin = time.monotonic()
        try:
            reader, writer = streams or await self.connect(self._mode.client)
            writer.write(self._mode.request(BODY))
            head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 15)).decode().lower()
            await reader.readexactly(int(head.partition("content-length: ")[2].split("\r\n")[0]))
            self.endings[head.split(" ")[1]] += 1
        except (OSError, asyncio.IncompleteReadError) as error:
            self.endings[type(error).__name__] += 1
        self.slowest = max(self.slowest, time.monotonic() - begin)

    async def flood(self) -> None:
        """Open silent connections at a rate, without end."""
        while True:
            await asyncio.gather(*(self.hold_silent() for _ in range(RATE // 10)))
            await asyncio.sleep(0.1)

    def close(self) -> None:
        """Close all connections."""
        for _, writer in self._open:
            writer.transport.abort()


@pytest.fixture(name="mode", params=MODES)
def _mode(request: pytest.FixtureRequest, tmp_path: Path) -> Mode:
    return create_mode(request.param, tmp_path)


async def crowded(callers: Callers, hold: Callable[[], Awaitable[None]]) -> Counter[str]:
    """Have HELD connections do nothing; return how the calls of new callers end."""
    for _ in range(0, HELD, AT_ONCE):
        await asyncio.gather(*(hold() for _ in range(AT_ONCE)))
    callers.endings.clear()
    for _ in range(0, NEW, AT_ONCE):
        await asyncio.gather(*(callers.call() for _ in range(AT_ONCE)))
    callers.close()
    return callers.endings


@pytest.mark.parametrize("hold", [Callers.hold_silent, Callers.call], ids=["silent", "idle after a 200"])
def test_new_callers_are_served_while_connections_that_do_nothing_take_all_places(
    mode: Mode, hold: Callable[[Callers], Awaitable[None]]
) -> None:
    with served(*mode.options) as target:
        callers = Callers(mode, target.port)

        assert asyncio.run(crowded(callers, partial(hold, callers))) == {"200": NEW}


async def flooded(callers: Callers, client: ssl.SSLContext | None) -> Counter[str]:
    """Flood the hook with silent connections; return how calls on one connection, and on new ones, end meanwhile."""
    pooled = await callers.connect(client)
    flooding = asyncio.create_task(callers.flood())
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        await asyncio.gather(callers.call(pooled), callers.call())
        await asyncio.sleep(0.1)
    flooding.cancel()
    callers.close()
    return callers.endings


def test_a_flood_of_silent_connections_closes_none_in_use_and_keeps_no_new_one_out(mode: Mode) -> None:
    with served(*mode.options) as target:
        assert asyncio.run(flooded(Callers(mode, target.port), mode.client)).keys() == {"200"}


async def starved(target: Target) -> Counter[str]:
    """Have silent connections take all file descriptors; return how the calls of new callers end."""
    callers = Callers(Mode(), target.port)
    for _ in range(2 * FILES):
        await callers.hold_silent()
    for _ in range(5):
        await callers.call()
    callers.close()
    return callers.endings


def test_new_callers_are_served_while_connections_that_do_nothing_take_all_file_descriptors() -> None:
    with served() as target:
        resource.prlimit(target.process.pid, resource.RLIMIT_NOFILE, (FILES, FILES))

        assert asyncio.run(starved(target)) == {"200": 5}


async def slowest_new(target: Target) -> tuple[float, Results]:
    """Return how long new callers wait while senders send as fast as they are answered, and what these get."""
    sending = asyncio.create_task(
        asyncio.to_thread(send, target.port, lambda: REQUEST, senders=SENDERS, seconds=SECONDS)
    )
    await asyncio.sleep(2)
    callers = Callers(Mode(), target.port)
    await asyncio.gather(*(callers.call() for _ in range(400)))
    callers.close()
    return callers.slowest, await sending


def test_new_connections_do_not_wait_while_others_are_answered() -> None:
    with served() as target:
        slowest, others = asyncio.run(slowest_new(target))

    assert slowest <= SOON
    assert set(others.codes) <= {"200", "429"}
