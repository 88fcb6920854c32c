"""Attacks on a served hook: as many requests as it takes, slow ones, and the worst bodies at once."""

import asyncio
import re
import time
from contextlib import suppress

import pytest

from metahook.protocol.bodies import MAX_BODY, MIB
from metahook.server import DEFAULT_LIMITS
from toolkit.served.process import WIDGETS, served
from toolkit.served.senders import MOST_MEMORY, TIMEOUT, Results, request, send
from toolkit.served.unprotected import UNPROTECTED
from toolkit.widgets import ready_request

pytestmark = pytest.mark.attacks

REQUEST = request(ready_request())
SECONDS = 8.0
RETRY_AFTER = re.compile(rb"\r\nretry-after: [1-5]\r\n", re.IGNORECASE)
HEAD = b"POST /sync HTTP/1.1\r\nHost: hook\r\nContent-Type: application/json\r\n"


def test_500_senders_get_200_or_429_with_a_delay_and_a_single_one_is_then_served() -> None:
    with served() as hook:
        found = send(hook.port, lambda: REQUEST, senders=500, seconds=SECONDS)
        peak = hook.memory("VmHWM")
        after = send(hook.port, lambda: REQUEST, senders=1, times=50)

    assert {"200"} <= set(found.codes) <= {"200", "429"}
    assert all(RETRY_AFTER.search(head) for head in found.heads)
    assert peak <= MOST_MEMORY
    assert set(after.codes) == {"200"}


# Slow senders


async def trickle(port: int, first: bytes, more: bytes) -> float:
    """Send *first*, and then *more* each second; return after how many seconds the server closed the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    begin = time.monotonic()

    async def send_more() -> None:
        writer.write(first)
        while True:
            await asyncio.sleep(1)
            writer.write(more)

    sending = asyncio.create_task(send_more())
    with suppress(ConnectionError):
        await reader.read()
    sending.cancel()
    writer.close()
    return time.monotonic() - begin


def test_slow_clients_are_disconnected_in_time_and_others_are_served_meanwhile() -> None:
    """They have fewer connections than there may be."""
    body = HEAD + b"Connection: close\r\nContent-Length: 1000000\r\n\r\n{"

    async def attacked(port: int) -> tuple[list[float], Results]:
        others = asyncio.create_task(asyncio.to_thread(send, port, lambda: REQUEST, senders=5, seconds=15.0))
        slow = [trickle(port, HEAD, b"X-A: b\r\n") for _ in range(500)] + [
            trickle(port, body, b" ") for _ in range(200)
        ]
        return await asyncio.gather(*slow), await others

    with served() as hook:
        lasted, others = asyncio.run(attacked(hook.port))
        peak = hook.memory("VmHWM")

    assert max(lasted) <= DEFAULT_LIMITS.head_timeout + DEFAULT_LIMITS.body_timeout + 1
    assert set(others.codes) == {"200"}
    assert others.percentile(1) < TIMEOUT * 1000
    assert peak <= MOST_MEMORY


# The most memory

WORST_BODIES = 12
"""Bodies of the largest size that arrive at once: one is received, the others wait, or get 429."""
MOST_FOR_BODIES = 700
"""MiB that the worst bodies may take together: a large one, as it arrived and decoded, and 16 MiB of small ones."""


async def answer_to(port: int, raw: bytes) -> bytes:
    """Return the first line of the answer to *raw*."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    with suppress(ConnectionError):
        writer.write(raw)
        await writer.drain()
    with suppress(ConnectionError):
        line = (await reader.readline()).strip()
        writer.transport.abort()
        return line
    return b""


def test_the_worst_bodies_at_once_take_bounded_memory() -> None:
    lists = request(b'{"parent":' + b"[" + b"[]," * ((MAX_BODY - 100) // 3) + b"1]}")
    small = request(b"[" * (MIB - 1))[:-1]

    async def attack(port: int) -> list[bytes]:
        holding = [asyncio.create_task(answer_to(port, small)) for _ in range(60)]
        found = await asyncio.gather(*(answer_to(port, lists) for _ in range(WORST_BODIES)))
        return [*found, *await asyncio.gather(*holding)]

    with served() as hook:
        answers = asyncio.run(attack(hook.port))
        peak = hook.memory("VmHWM")

    assert {line.split()[1] for line in answers if line} <= {b"400", b"408", b"429"}
    assert peak <= MOST_FOR_BODIES


async def hold(port: int) -> None:
    """Send 4 MiB of a longer body on each of 60 connections, and keep them."""
    raw = request(b"[" * (4 * MIB + 1))[:-1]
    writers = []
    for _ in range(60):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(raw)
        writers.append(writer)
    await asyncio.sleep(4)
    for writer in writers:
        writer.close()


def test_bodies_that_are_not_finished_take_bounded_memory() -> None:
    def peak(command: tuple[str, ...]) -> float:
        with served(*command) as hook:
            asyncio.run(hold(hook.port))
            return hook.memory("VmHWM")

    assert peak(WIDGETS) <= MOST_MEMORY < peak(UNPROTECTED)
