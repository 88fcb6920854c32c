"""A client as Metacontroller is one: it keeps its connection, and sends a request with its length in one piece."""

import asyncio
import ssl
import time
from collections import Counter
from dataclasses import dataclass, field

GONE = (ConnectionError, asyncio.IncompleteReadError, TimeoutError)
TIMEOUT = 10
"""Seconds, as Metacontroller's."""


def request(body: bytes, path: str = "/sync", headers: tuple[str, ...] = ()) -> bytes:
    """Return a request with *body* as it is sent."""
    lines = [f"POST {path} HTTP/1.1", "Host: hook", "Content-Type: application/json", *headers]
    return "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode() + body


@dataclass
class Results:
    """How requests ended: how often with each status code, or "failed"; and how long each 200 took, in seconds."""

    codes: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    headers: list[bytes] = field(default_factory=list)
    """The heads of the responses other than 200."""

    def add(self, head: bytes, seconds: float) -> None:
        """Add a response with this *head* that took so many *seconds*."""
        code = head.split(b" ", 2)[1].decode()
        self.codes[code] += 1
        if code == "200":
            self.seconds.append(seconds)
        else:
            self.headers.append(head)

    def percentile(self, share: float) -> float:
        """Return in milliseconds how long that share of the 200s took at most."""
        ordered = sorted(self.seconds)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000 if ordered else float("inf")


class Client:
    """A client with one connection, which it opens again when it was closed."""

    def __init__(self, port: int, context: ssl.SSLContext | None = None) -> None:
        self._port = port
        self._context = context
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, raw: bytes, results: Results) -> None:
        """Send *raw*, and add to *results* how it ended."""
        begin = time.perf_counter()
        try:
            async with asyncio.timeout(TIMEOUT):
                head = await self._answered(raw)
        except GONE:
            self.close()
            results.codes["failed"] += 1
            return
        results.add(head, time.perf_counter() - begin)
        if b"connection: close" in head.lower():
            self.close()

    async def _answered(self, raw: bytes) -> bytes:
        if self._streams is None:
            name = "localhost" if self._context else None
            self._streams = await asyncio.open_connection(
                "127.0.0.1", self._port, ssl=self._context, server_hostname=name
            )
        reader, writer = self._streams
        writer.write(raw)
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]))
        return head

    def close(self) -> None:
        """Close the connection."""
        if self._streams:
            self._streams[1].close()
        self._streams = None


async def load(port: int, raw: bytes, seconds: float, clients: int = 5, pause: float = 0.004) -> Results:
    """Send *raw* from several *clients* for so many *seconds*, each with a *pause* between requests."""
    results, end = Results(), time.monotonic() + seconds

    async def run() -> None:
        client = Client(port)
        while time.monotonic() < end:
            await client.send(raw, results)
            await asyncio.sleep(pause)
        client.close()

    await asyncio.gather(*(run() for _ in range(clients)))
    return results


async def slowest_answer(port: int, seconds: float) -> float:
    """Ask for ``/livez`` again and again for so many *seconds*; return how long the slowest answer took."""
    slowest, end = 0.0, time.monotonic() + seconds
    while time.monotonic() < end:
        begin = time.monotonic()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /livez HTTP/1.1\r\nHost: hook\r\nConnection: close\r\n\r\n")
        await reader.read()
        writer.close()
        slowest = max(slowest, time.monotonic() - begin)
        await asyncio.sleep(0.05)
    return slowest
