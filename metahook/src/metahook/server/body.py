"""Reads the bodies of requests, within limits: of length, of memory for all of them, and of time.

A small body takes memory as it arrives, and never waits for it. A large one waits in its socket until it is read, for
a while; those over 256 KiB may then wait for a thread, see :mod:`metahook.server.work`.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from starlette.requests import Request

from metahook.protocol.request import Body
from metahook.protocol.wire import MIB
from metahook.server.budget import Budget, Share
from metahook.server.limits import Limits
from metahook.server.refusal import NOT_HTTP, TOO_LARGE, TOO_MANY_LARGE, TOO_SLOW, UNSUPPORTED, Refused

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
        self._small = Budget(SMALL_AT_ONCE * SMALL)
        self._large = Budget(limits.max_large_bodies * limits.max_body)
        self._large_slots = asyncio.Semaphore(limits.max_large_bodies)
        self._waiting = 0

    @asynccontextmanager
    async def read(self, request: Request) -> AsyncIterator[Body]:
        """Yield the body of *request*, which holds its share of memory until the block ends.

        Raise Refused if it is not plain JSON, too long or too slow, or if there is no room for it; raise
        ClientDisconnect if the connection is closed before it is complete.
        """
        size = self._announced(request.scope["headers"])
        if size > SMALL:
            await self._wait()
        try:
            budget = self._small if size <= SMALL else self._large
            with budget.share() as share:
                await self._receive(request, size, share)
                budget.settle(share)
                yield share.body
        finally:
            if size > SMALL:
                self._large_slots.release()

    def accept(self, headers: Headers, body: Body) -> bool:
        """Tell whether *body*, which is complete, is of the length and the type that *headers* announce."""
        try:
            return self._announced(headers) == len(body)
        except Refused:
            return False

    def _announced(self, headers: Headers) -> int:
        """Return the length that *headers* announce, or the maximum. Metacontroller always sends the length."""
        given = dict(reversed(headers))  # Why reversed: the first of several headers counts
        media_type = given.get(b"content-type", b"")
        if media_type != _JSON and media_type.partition(b";")[0].strip().lower() != _JSON:
            raise Refused(UNSUPPORTED)
        if b"content-encoding" in given:
            raise Refused(UNSUPPORTED)
        size = _parse_length(given[b"content-length"]) if b"content-length" in given else self._most
        if size > self._most:
            raise Refused(TOO_LARGE)
        return size

    async def _wait(self) -> None:
        """Wait for the slot of a large body, which its reader releases."""
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

    async def _receive(self, request: Request, size: int, share: Share) -> None:
        try:
            async with asyncio.timeout(self._within):
                async for chunk in request.stream():
                    if len(share.body) + len(chunk) > size:
                        raise Refused(TOO_LARGE)
                    share.add(chunk)
        except TimeoutError:
            raise Refused(TOO_SLOW) from None


def _parse_length(text: bytes) -> int:
    """Return the Content-Length *text* as a number, at most a huge one; raise Refused if it is none."""
    if not text.isdigit():
        raise Refused(NOT_HTTP)
    # Why cut: Python refuses to convert thousands of digits, and no limit has 20.
    return int(text.lstrip(b"0")[:20] or b"0")
