"""A budget of memory: bytes that may be held at once. Who finds too few of them left waits, first come first served."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Budget:
    """Gives out *most* bytes."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._turn = asyncio.Lock()
        self._returned = asyncio.Event()

    @asynccontextmanager
    async def hold(self, size: int) -> AsyncIterator[None]:
        """Hold *size* bytes, at most all that there are, until the block ends; wait for them first."""
        async with self._turn:  # it is fair: many that are small don't pass one that is large for ever
            while self._left < size:
                self._returned.clear()
                await self._returned.wait()
            self._left -= size
        try:
            yield
        finally:
            self._left += size
            self._returned.set()
