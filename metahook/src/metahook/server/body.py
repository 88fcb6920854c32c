"""Reads the bodies of requests, within limits: of length, of memory for all of them, and of time.

A body is not read from its socket before there is memory for it. Small bodies have a budget of their own, so they never
wait for the memory of large ones; those over 256 KiB may wait for a thread, see :mod:`metahook.server.app`.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import ClientDisconnect, Request

from metahook.protocol import Body
from metahook.protocol.wire import MIB
from metahook.server.budget import Budget
from metahook.server.limits import Limits
from metahook.server.refusal import INCOMPLETE, TOO_LARGE, TOO_SLOW, UNSUPPORTED, Refused

SMALL = MIB
SMALL_AT_ONCE = 16
"""The length of a small body, at most; and how many of that length may be in memory at once."""


class Bodies:
    """Reads bodies within *limits*."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.max_body
        self._within = limits.body_timeout
        self._small = Budget(SMALL_AT_ONCE * SMALL)
        self._large = Budget(limits.max_large_bodies * limits.max_body)

    @asynccontextmanager
    async def read(self, request: Request) -> AsyncIterator[Body]:
        """Yield the body of *request*, which holds its share of memory until the block ends.

        Raise Refused if it is not plain JSON, too long, cut, or too slow.
        """
        size = self._announced(request)
        async with (self._small if size <= SMALL else self._large).hold(size):
            try:
                async with asyncio.timeout(self._within):
                    body = await self._received(request, size)
            except TimeoutError:
                raise Refused(TOO_SLOW) from None
            except ClientDisconnect:
                raise Refused(INCOMPLETE) from None
            yield body

    def _announced(self, request: Request) -> int:
        """Return the length of the body of *request*, or the maximum. Metacontroller always sends the length."""
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json" or "content-encoding" in request.headers:
            raise Refused(UNSUPPORTED)
        size = int(request.headers.get("content-length", self._most))
        if size > self._most:
            raise Refused(TOO_LARGE)
        return size

    async def _received(self, request: Request, size: int) -> bytearray:
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > size:
                raise Refused(TOO_LARGE)
        return body
