"""Slow and silent clients: 1,000 send a header a second, 200 a byte of a body a second, and 200 send nothing."""

import asyncio
import time

from bench.reliability.client import Results, load
from bench.reliability.figures import Figure
from bench.reliability.targets import MOST_MEMORY, Target, plain, served

HEADERS, BODIES, SILENT = 1000, 200, 200
HEAD = b"POST /sync HTTP/1.1\r\nHost: hook\r\nContent-Type: application/json\r\n"
CALM, ATTACK = 8.0, 20.0
"""Seconds of load without an attack, and with one."""
DEADLINE = 16.0
"""Seconds: the longest time to receive a request, 10 s for its head and 5 s for its body, and 1 s."""


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
            while await reader.read(4096):
                pass
        except ConnectionError:
            pass
        self.lasted = time.monotonic() - begin
        sending.cancel()
        writer.close()

    async def _send(self, writer: asyncio.StreamWriter) -> None:
        while self._more:
            await asyncio.sleep(1)
            writer.write(self._more)


def attackers(port: int) -> list[Slow]:
    """Return all slow clients."""
    body = HEAD + b"Content-Length: 1000000\r\n\r\n{"
    return [
        *(Slow(port, HEAD, b"X-A: b\r\n") for _ in range(HEADERS)),
        *(Slow(port, body, b" ") for _ in range(BODIES)),
        *(Slow(port, b"", b"") for _ in range(SILENT)),
    ]


async def attacked(target: Target, raw: bytes) -> tuple[Results, Results, float, int]:
    """Return how other requests end, without and with the attack; how long slow clients live; how many stay."""
    calm = await load(target.port, raw, CALM)
    slow = attackers(target.port)
    tasks = [asyncio.create_task(each.run()) for each in slow]
    hard = await load(target.port, raw, ATTACK)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    lives = [each.lasted for each in slow if each.lasted < float("inf")]
    return calm, hard, max(lives, default=0), len(slow) - len(lives)


def figures(raw: bytes) -> list[Figure]:
    """Measure."""
    with served() as target:
        target.forget_peak()
        calm, hard, life, left = asyncio.run(attacked(target, raw))
        peak = target.memory("VmHWM")
    with plain() as target:
        _, _, _, left_plain = asyncio.run(attacked(target, raw))
    ratio = hard.percentile(0.99) / calm.percentile(0.99)
    return [
        Figure("1,400 slow clients: p99 of the others, compared with none", "times", 2, ratio),
        Figure("1,400 slow clients: failed requests of the others", "", 0, hard.codes.total() - hard.codes["200"]),
        Figure("1,400 slow clients: connected for", "s", DEADLINE, life),
        Figure("1,400 slow clients: still connected after 20 s", "", 0, left, left_plain),
        Figure("1,400 slow clients: memory", "MiB", MOST_MEMORY, peak),
    ]
