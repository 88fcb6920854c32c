"""Slow clients: 1,000 send a header a second, and 200 a byte of a body a second."""

import asyncio
import time
from contextlib import suppress
from typing import NamedTuple

import pytest

from metahook.server.limits import DEFAULT_LIMITS
from toolkit.served.process import served
from toolkit.served.senders import MOST_MEMORY, TIMEOUT, Results, request, send
from toolkit.widgets import ready_request

pytestmark = pytest.mark.attacks

REQUEST = request(ready_request())
HEADERS, BODIES = 1000, 200
HEAD = b"POST /sync HTTP/1.1\r\nHost: hook\r\nContent-Type: application/json\r\n"
ATTACK = 20.0
"""Seconds."""
DEADLINE = DEFAULT_LIMITS.head_timeout + DEFAULT_LIMITS.body_timeout + 1
"""Seconds: the longest time to receive a request, and one more."""


class Slow:
    """A client that sends *first*, and then *more* each second until the server closes the connection."""

    def __init__(self, port: int, first: bytes, more: bytes) -> None:
        self._port, self._first, self._more = port, first, more
        self.lasted = float("inf")
        """Seconds until the server closed the connection."""

    async def run(self) -> None:
        """Connect, and stay."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        begin = time.monotonic()
        writer.write(self._first)
        sending = asyncio.create_task(self._send(writer))
        try:
            with suppress(ConnectionError):
                while await reader.read(4096):
                    pass
            self.lasted = time.monotonic() - begin
        finally:
            sending.cancel()
            writer.close()

    async def _send(self, writer: asyncio.StreamWriter) -> None:
        while True:
            await asyncio.sleep(1)
            writer.write(self._more)


class Attacked(NamedTuple):
    """How the requests of others ended, how long the slow clients were connected, and how many still are."""

    others: Results
    lasted: float
    left: int


def attackers(port: int) -> list[Slow]:
    body = HEAD + b"Content-Length: 1000000\r\n\r\n{"
    return [
        *(Slow(port, HEAD, b"X-A: b\r\n") for _ in range(HEADERS)),
        *(Slow(port, body, b" ") for _ in range(BODIES)),
    ]


async def attacked(port: int) -> Attacked:
    slow = attackers(port)
    tasks = [asyncio.create_task(each.run()) for each in slow]
    others = await asyncio.to_thread(send, port, lambda: REQUEST, senders=5, seconds=ATTACK)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    lives = [each.lasted for each in slow if each.lasted < float("inf")]
    return Attacked(others, max(lives, default=0), len(slow) - len(lives))


def test_slow_clients_are_disconnected_in_time_and_others_are_served_meanwhile() -> None:
    with served() as hook:
        found = asyncio.run(attacked(hook.port))
        peak = hook.memory("VmHWM")

    assert found.left == 0
    assert found.lasted <= DEADLINE
    assert set(found.others.codes) == {"200"}
    assert found.others.percentile(1) < TIMEOUT * 1000
    assert peak <= MOST_MEMORY
