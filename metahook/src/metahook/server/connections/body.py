"""Reads the bodies of requests, within limits: of length, of memory for all of them, and of time.

A body takes memory as it arrives, whatever length its head announces, and never waits for it. Once it is large it needs
a place, and waits for one with the rest in its socket, for a while.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive

from metahook.protocol.bodies import MIB
from metahook.server.connections.body_memory import BodyMemory, Buffer, Places
from metahook.server.limits import Limits
from metahook.server.refusal import NOT_HTTP, TOO_LARGE, TOO_SLOW, UNSUPPORTED, Refused

SMALL = MIB
SMALL_AT_ONCE = 16
"""The length of a small body, at most; and how many of that length may be in memory at once."""

_JSON = b"application/json"


Headers = Sequence[tuple[bytes, bytes]]
"""The headers of a request, with names in lower case."""


class Bodies:
    """Reads bodies within *limits*."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.max_body
        self._within = limits.body_timeout
        self._memory = BodyMemory(SMALL_AT_ONCE * SMALL)
        self._places = Places(limits.max_large_bodies)

    async def read(self, request: Request) -> Buffer:
        """Return the body of *request*, which holds memory until it is released.

        Raise Refused if it is not plain JSON, too long or too slow, or if there is no memory for it; raise
        ClientDisconnect if the connection is closed before it is complete.
        """
        size = self._announced(request.scope["headers"])
        buffer = self._memory.buffer()
        deadline = asyncio.get_running_loop().time() + self._within
        try:
            if part := await self._receive_small(request, size, buffer, deadline):
                await self._places.wait(deadline)
                buffer.move_to_large(self._places.give_back)
                await self._receive_large(request, size, buffer, part, deadline)
        except BaseException:
            buffer.release()
            raise
        self._memory.complete(buffer)
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

    async def _receive_small(self, request: Request, size: int, buffer: Buffer, deadline: float) -> "_Part | None":
        """Receive the body into *buffer*; return the part with which it is large, or None if it is small."""
        try:
            async with asyncio.timeout_at(deadline):
                while True:
                    part = await _next_part(request.receive, size - len(buffer.body))
                    if len(buffer.body) + len(part.chunk) > SMALL:
                        return part
                    buffer.add(part.chunk)
                    if not part.has_more:
                        return None
        except TimeoutError:
            raise Refused(TOO_SLOW) from None

    async def _receive_large(self, request: Request, size: int, buffer: Buffer, part: "_Part", deadline: float) -> None:
        """Receive the rest of a body, after *part*, at its place."""
        async with self._places.arriving(deadline):
            buffer.add(part.chunk)
            while part.has_more:
                part = await _next_part(request.receive, size - len(buffer.body))
                buffer.add(part.chunk)


class _Part(NamedTuple):
    """A part of a body."""

    chunk: bytes
    has_more: bool


async def _next_part(receive: Receive, most: int) -> _Part:
    """Return what is received next: *most* bytes at most."""
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientDisconnect
    part = _Part(message.get("body", b""), message.get("more_body", False))
    if len(part.chunk) > most:
        raise Refused(TOO_LARGE if part.has_more else replace(TOO_LARGE, drops_rest=False))
    return part


def _parse_length(text: bytes) -> int:
    """Return the Content-Length *text* as a number, at most a huge one; raise Refused if it is none."""
    if not text.isdigit():
        raise Refused(NOT_HTTP)
    # Python refuses to convert thousands of digits, and no limit has 20.
    return int(text.lstrip(b"0")[:20] or b"0")
