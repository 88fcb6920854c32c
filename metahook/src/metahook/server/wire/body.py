"""Reads the bodies of requests, within limits: of length, of memory for all of them, and of time.

A small body takes memory as it arrives, and never waits for it. A large one waits in its socket until it is read, for
a while.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive

from metahook.protocol.wire import MIB
from metahook.server.limits import Limits
from metahook.server.refusal import NOT_HTTP, TOO_LARGE, TOO_MANY_LARGE, TOO_SLOW, UNSUPPORTED, Refused
from metahook.server.wire.body_memory import BodyMemory, Buffer

SMALL = MIB
SMALL_AT_ONCE = 16
"""The length of a small body, at most; and how many of that length may be in memory at once."""

_JSON = b"application/json"

WAIT = 2.0
WAITING = 16
"""Seconds for which a large body waits, and how many wait: each holds what was read together with its headers."""


Headers = Sequence[tuple[bytes, bytes]]
"""The headers of a request, with names in lower case."""


class Bodies:
    """Reads bodies within *limits*."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.max_body
        self._within = limits.body_timeout
        self._small = BodyMemory(SMALL_AT_ONCE * SMALL)
        self._large = BodyMemory(limits.max_large_bodies * limits.max_body)
        self._large_slots = asyncio.Semaphore(limits.max_large_bodies)
        self._waiting = 0

    async def read(self, request: Request) -> Buffer:
        """Return the body of *request*, which holds memory until it is released.

        Raise Refused if it is not plain JSON, too long or too slow, or if there is no memory for it; raise
        ClientDisconnect if the connection is closed before it is complete.
        """
        size = self._announced(request.scope["headers"])
        buffer = self._small.buffer() if size <= SMALL else await self._large_buffer()
        try:
            await self._receive(request, size, buffer)
        except BaseException:
            buffer.release()
            raise
        buffer.settle()
        return buffer

    def _announced(self, headers: Headers) -> int:
        """Return the length that *headers* announce, or the maximum. Metacontroller always sends the length."""
        given = dict(reversed(headers))  # reversed, so that the first of several headers counts
        media_type = given.get(b"content-type", b"")
        if media_type != _JSON and media_type.partition(b";")[0].strip().lower() != _JSON:
            raise Refused(UNSUPPORTED)
        if b"content-encoding" in given:
            raise Refused(UNSUPPORTED)
        size = _parse_length(given[b"content-length"]) if b"content-length" in given else self._most
        if size > self._most:
            raise Refused(TOO_LARGE)
        return size

    async def _large_buffer(self) -> Buffer:
        """Return a buffer once there is a slot for a large body, which it takes until it is released."""
        if self._waiting >= WAITING:
            raise Refused(TOO_MANY_LARGE)
        self._waiting += 1
        try:
            async with asyncio.timeout(WAIT):
                await self._large_slots.acquire()
        except TimeoutError:
            raise Refused(TOO_MANY_LARGE) from None
        finally:
            self._waiting -= 1
        return self._large.buffer(self._large_slots.release)

    async def _receive(self, request: Request, size: int, buffer: Buffer) -> None:
        try:
            async with asyncio.timeout(self._within):
                while await _has_more(request.receive, size, buffer):
                    pass
        except TimeoutError:
            raise Refused(TOO_SLOW) from None


async def _has_more(receive: Receive, size: int, buffer: Buffer) -> bool:
    """Add what is received next to *buffer*; tell whether there is more."""
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientDisconnect
    chunk, has_more = message.get("body", b""), message.get("more_body", False)
    if len(buffer.body) + len(chunk) > size:
        raise Refused(TOO_LARGE if has_more else replace(TOO_LARGE, drops_rest=False))
    buffer.add(chunk)
    return bool(has_more)


def _parse_length(text: bytes) -> int:
    """Return the Content-Length *text* as a number, at most a huge one; raise Refused if it is none."""
    if not text.isdigit():
        raise Refused(NOT_HTTP)
    # Python refuses to convert thousands of digits, and no limit has 20.
    return int(text.lstrip(b"0")[:20] or b"0")
