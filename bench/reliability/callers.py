"""Callers without a token."""

import asyncio
import tempfile
from collections import Counter
from pathlib import Path

from bench.reliability.figures import Figure
from bench.reliability.targets import plain, served
from tests.fuzz.hostile import endings

LARGE = b"POST /sync HTTP/1.1\r\nHost: hook\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n"
REFUSED = {400, 401, 408, 414, 431}
"""What a caller without a token gets: 401, unless its request is not even HTTP."""


async def send_large(port: int) -> None:
    """Send 100 MiB without a token."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(LARGE)
    try:
        for _ in range(1600):
            writer.write(b"[" * 65536)
            await writer.drain()
    except ConnectionError:
        pass
    writer.close()


def figures(_: bytes) -> list[Figure]:
    """Measure."""
    with tempfile.TemporaryDirectory() as folder:
        token = Path(folder) / "token"
        token.write_text("a-token")
        with served("--tokens", str(token)) as target:
            codes = Counter(code for ending in asyncio.run(endings(target.port)).values() for code in ending.codes)
            before = target.memory()
            target.forget_peak()
            asyncio.run(send_large(target.port))
            growth = target.memory("VmHWM") - before
    with plain() as target:
        without = Counter(code for ending in asyncio.run(endings(target.port)).values() for code in ending.codes)
    return [
        Figure("200 requests without a token: not refused", "", 0, _accepted(codes), _accepted(without)),
        Figure("100 MB without a token: growth of memory", "MiB", 2, growth),
    ]


def _accepted(codes: Counter[int]) -> int:
    return codes.total() - sum(codes[code] for code in REFUSED)
