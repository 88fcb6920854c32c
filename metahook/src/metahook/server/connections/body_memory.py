"""The memory of bodies, and the places of large ones: a body that is slow to arrive gives way to another one."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from metahook.server.refusal import TOO_MANY_LARGE, TOO_MANY_SMALL, TOO_SLOW, Refused

WAIT = 3.0
WAITING = 16
"""Seconds for which a large body waits for a place, and how many wait."""

UNDISTURBED = 2.0
"""Seconds for which a large body may arrive while another one waits for its place."""


class Buffer:
    """What has arrived of a body, which takes memory until it is released."""

    def __init__(self, memory: "BodyMemory") -> None:
        self.body = bytearray()
        self._memory = memory
        self._on_release: Callable[[], object] | None = None
        self._is_large = False
        self._has_given_way = False
        self._is_released = False

    def add(self, chunk: bytes) -> None:
        """Add *chunk* to the body; raise Refused if there is no room, or if its room has been given to another body."""
        if self._has_given_way:
            raise Refused(TOO_MANY_SMALL)
        if not self._is_large:
            self._memory.take(len(chunk), self)
        self.body += chunk

    def move_to_large(self, on_release: Callable[[], object]) -> None:
        """Give the memory back, except that of a place for a large body: *on_release* gives back the place."""
        self._on_release = on_release
        self._memory.give_back(self)
        self._is_large = True

    def give_way(self) -> int:
        """Return how many bytes the body had: they are another's now."""
        size, self._has_given_way = len(self.body), True
        self.body.clear()
        return size

    def release(self) -> None:
        """Give the memory back, once."""
        if not self._is_released:
            self._is_released = True
            if not self._is_large:
                self._memory.give_back(self)
            if self._on_release:
                self._on_release()


class BodyMemory:
    """At most *most* bytes, for all bodies together that are not large."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._arriving: dict[Buffer, None] = {}

    def buffer(self) -> Buffer:
        """Return the buffer of a body that begins to arrive."""
        buffer = Buffer(self)
        self._arriving[buffer] = None
        return buffer

    def complete(self, buffer: Buffer) -> None:
        """Note that the body in *buffer* has arrived: it no longer gives way."""
        self._arriving.pop(buffer, None)

    def give_back(self, buffer: Buffer) -> None:
        """Take back the memory of *buffer*."""
        self._arriving.pop(buffer, None)
        self._left += len(buffer.body)

    def take(self, size: int, taker: Buffer) -> None:
        """Take *size* bytes for *taker*, from the bodies that have been arriving for longest if need be."""
        while self._left < size:
            longest = next(buffer for buffer in self._arriving if buffer.body or buffer is taker)
            if longest is taker:
                raise Refused(TOO_MANY_SMALL)
            self.complete(longest)
            self._left += longest.give_way()
        self._left -= size


class Places:
    """The places of *count* large bodies. Those that have been arriving for longest have less time while others wait.

    So a client that stops sending keeps nobody out, and one that never sends much has no place at all.
    """

    def __init__(self, count: int) -> None:
        self._free = asyncio.Semaphore(count)
        self._waiting = 0
        self._arriving: dict[asyncio.Timeout, float] = {}
        """With the time until which each is undisturbed."""

    async def wait(self, deadline: float) -> None:
        """Wait for a place; raise Refused if too many wait, or none is free in time, at the latest at *deadline*."""
        if not self._free.locked():
            await self._free.acquire()  # which is at once
            return
        if self._waiting >= WAITING:
            raise Refused(TOO_MANY_LARGE)
        self._waiting += 1
        self._shorten_deadlines()
        try:
            async with asyncio.timeout_at(min(asyncio.get_running_loop().time() + WAIT, deadline)):
                await self._free.acquire()
        except TimeoutError:
            raise Refused(TOO_MANY_LARGE) from None
        finally:
            self._waiting -= 1

    def give_back(self) -> None:
        """Note that a place is free."""
        self._free.release()

    @asynccontextmanager
    async def arriving(self, deadline: float) -> AsyncIterator[None]:
        """Let a body arrive at its place while the block runs, until *deadline* or before; raise Refused."""
        timeout = asyncio.timeout_at(deadline)
        try:
            async with timeout:
                self._arriving[timeout] = asyncio.get_running_loop().time() + UNDISTURBED
                self._shorten_deadlines()
                yield
        except TimeoutError:
            is_in_time = asyncio.get_running_loop().time() < deadline
            raise Refused(TOO_MANY_LARGE if is_in_time else TOO_SLOW) from None
        finally:
            self._arriving.pop(timeout, None)

    def _shorten_deadlines(self) -> None:
        """Move the deadlines of as many bodies as wait, the ones that have been arriving for longest."""
        now = asyncio.get_running_loop().time()
        for timeout, undisturbed in list(self._arriving.items())[: self._waiting]:
            until = max(now, undisturbed)
            if not timeout.expired() and until < (timeout.when() or 0):
                timeout.reschedule(until)
