"""A budget of memory: bytes that may be held at once. A request that needs more waits, in order of arrival."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Budget:
    """A budget of *most* bytes."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._turn = asyncio.Lock()
        self._returned = asyncio.Event()

    @asynccontextmanager
    async def hold(self, size: int) -> AsyncIterator[None]:
        """Wait for *size* bytes, which must not exceed the budget, and hold them until the block ends."""
        async with self._turn:  # Why a lock: it is fair, so many small requests do not pass a large one for ever
            while self._left < size:
                self._returned.clear()
                await self._returned.wait()
            self._left -= size
        try:
            yield
        finally:
            self._left += size
            self._returned.set()
