"""Memory: held bodies, heads without an end, and 800 strangers."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path

import pytest
from toolkit.served.modes import create_mode

from toolkit.builders import KIB, MIB
from toolkit.served.process import WIDGETS, served
from toolkit.served.senders import MOST_MEMORY, request
from toolkit.served.unprotected import UNPROTECTED

pytestmark = pytest.mark.attacks

HELD = 60
STRANGERS, ROUNDS = 800, 3
MOST_OVER_TLS = 450
"""MiB. TLS takes memory before a request is read: 310 to 380 MiB were measured, however much the strangers sent."""


def unfinished(size: int) -> bytes:
    """Return a request that lacks the last byte of its body, with *size* bytes before that."""
    return request(b"[" * (size + 1))[:-1]


async def hold(port: int) -> None:
    """Send 4 MiB of a longer body on each of 60 connections, and keep them."""
    raw = unfinished(4 * MIB)
    writers = []
    for _ in range(HELD):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(raw)
        writers.append(writer)
    await asyncio.sleep(4)
    for writer in writers:
        writer.close()


async def send_heads(port: int) -> None:
    """Send 20 MB of headers on each of 10 connections at the same time, and keep those."""
    for writer in await asyncio.gather(*(send_head(port) for _ in range(10))):
        writer.close()


async def send_head(port: int) -> asyncio.StreamWriter:
    """Send 20 MB of headers on a new connection, and return it."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST /sync HTTP/1.1\r\nHost: hook\r\n")
    with suppress(ConnectionError):
        for number in range(20_000):
            writer.write(b"X-%d: " % number + b"a" * 1000 + b"\r\n")
            await writer.drain()
    return writer


def peak(command: tuple[str, ...], attack: Callable[[int], Coroutine[None, None, None]]) -> float:
    """Return the most memory in MiB that *command* took until the end of *attack*."""
    with served(*command) as hook:
        asyncio.run(attack(hook.port))
        return hook.memory("VmHWM")


@pytest.mark.parametrize("attack", [hold, send_heads], ids=["held bodies", "heads without an end"])
def test_what_is_sent_and_not_finished_takes_bounded_memory(
    attack: Callable[[int], Coroutine[None, None, None]],
) -> None:
    assert peak(WIDGETS, attack) <= MOST_MEMORY < peak(UNPROTECTED, attack)


def test_strangers_over_tls_take_bounded_memory(tmp_path: Path) -> None:
    mode = create_mode("token", tmp_path)
    raw = unfinished(800 * KIB)

    async def send(port: int) -> bytes:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=mode.client)
            writer.write(raw)
            response = await reader.read(4096)
            await asyncio.sleep(1)
            writer.transport.abort()
            return response
        return b""

    async def send_all(port: int) -> list[bytes]:
        return await asyncio.gather(*(send(port) for _ in range(STRANGERS)))

    with served(*WIDGETS, *mode.options, "--handshake-timeout=60") as hook:
        responses = [response for _ in range(ROUNDS) for response in asyncio.run(send_all(hook.port))]

        assert sum(response.startswith(b"HTTP/1.1 401 ") for response in responses) > STRANGERS
        assert hook.memory("VmHWM") <= MOST_OVER_TLS
