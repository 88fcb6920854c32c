"""A hook under attack, by too many requests and the worst bodies; and while its replicas are replaced."""

import asyncio
import random
import re
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from http.client import HTTPConnection, HTTPException

import pytest

from metahook.protocol.bodies import MAX_BODY, MIB
from toolkit.balancer import Balancer
from toolkit.served.asgi import JSON
from toolkit.served.process import WIDGETS, Served, served
from toolkit.served.senders import MOST_MEMORY, request, send
from toolkit.slow import short_or_whole
from toolkit.widgets import ready_request

pytestmark = pytest.mark.attacks

REQUEST = request(ready_request())
SECONDS = 8.0
RETRY_AFTER = re.compile(rb"\r\nretry-after: [1-5]\r\n", re.IGNORECASE)


def test_500_senders_get_200_or_429_with_a_delay_and_a_single_one_is_then_served() -> None:
    with served() as hook:
        found = send(hook.port, lambda: REQUEST, senders=500, seconds=SECONDS)
        peak = hook.memory("VmHWM")
        after = send(hook.port, lambda: REQUEST, senders=1, times=50)

    assert {"200"} <= set(found.codes) <= {"200", "429"}
    assert all(RETRY_AFTER.search(head) for head in found.heads)
    assert peak <= MOST_MEMORY
    assert set(after.codes) == {"200"}


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


# Replicas of the hook are replaced one by one under load. The balancer keeps established connections when a replica is
# removed, as a Service does; it removes one a while after its SIGTERM.

ROLLS = short_or_whole(8, 50)
"""Replacements."""
CALLERS = 5
REMOVED_AFTER = 0.3
"""Seconds from SIGTERM until a replica gets no more connections."""
PAUSE = 0.02
"""Seconds between two requests of a caller, at most."""


class Callers:
    """Callers that each keep a connection while it may be used, as Metacontroller's workers do."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._is_over = threading.Event()
        self.endings: Counter[str] = Counter()
        self._threads = ThreadPoolExecutor(CALLERS)
        self._running = [self._threads.submit(self._call) for _ in range(CALLERS)]

    def _call(self) -> None:
        connection = HTTPConnection(self._address, timeout=10)
        while not self._is_over.is_set():
            try:
                connection.request("POST", "/sync", ready_request(), JSON)
                response = connection.getresponse()
                response.read()
                self.endings[str(response.status)] += 1
            except (OSError, HTTPException) as error:
                self.endings[repr(error)] += 1
                connection.close()
            time.sleep(random.uniform(0, PAUSE))  # noqa: S311 - no secret
        connection.close()

    def stop(self) -> Counter[str]:
        """Return how often requests ended with each status or error."""
        self._is_over.set()
        for each in self._running:
            each.result()
        self._threads.shutdown()
        return self.endings


def rolled() -> tuple[Counter[str], set[int]]:
    """Stop and replace two replicas in turn; return how requests ended, and the exit codes."""
    exits = set[int]()
    with ExitStack() as stack:
        balancer = stack.enter_context(Balancer())

        def start() -> Served:
            hook = stack.enter_context(served(*WIDGETS, "--drain=1"))
            balancer.add(hook.url)
            return hook

        replicas = [start(), start()]
        callers = Callers(balancer.address)
        for _ in range(ROLLS):
            replicas.append(start())
            old = replicas.pop(0)
            old.process.send_signal(signal.SIGTERM)
            time.sleep(REMOVED_AFTER)
            balancer.remove(old.url)
            exits.add(old.process.wait(30))
        return callers.stop(), exits


def test_no_request_is_lost_while_replicas_are_replaced() -> None:
    endings, exits = rolled()

    assert endings.keys() == {"200"}
    assert endings["200"] > 100 * ROLLS
    assert exits == {0}
