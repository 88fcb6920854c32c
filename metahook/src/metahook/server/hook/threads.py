"""Threads for decisions. One that has begun can't be stopped; one that waits for a thread leaves nothing behind."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from time import monotonic
from typing import Any, TypeVar

T = TypeVar("T")


class Threads:
    """At most *most* threads, which are named after *name*, for functions that take *most_bytes* together.

    A call waits for its thread in the event loop. An executor would keep each call until a thread is free, also the
    body of a request that was refused long ago: for ever, if functions do not return.
    """

    def __init__(self, most: int, name: str, most_bytes: float = math.inf) -> None:
        self._most = most
        self._executor = ThreadPoolExecutor(most, name)
        self._free = asyncio.Semaphore(most)
        self._memory = _Memory(most_bytes)
        self._running: set[Future[Any]] = set()
        self._late: set[Future[Any]] = set()
        self._full_since = 0.0

    @property
    def are_busy(self) -> bool:
        """Whether a function runs. Python waits for it before the process exits."""
        return bool(self._running)

    @property
    def late(self) -> int:
        """How many functions run for which nobody waits any more."""
        return len(self._late)

    @property
    def seconds_full(self) -> float:
        """The seconds for which each thread has been running a late function; 0 if one does not."""
        return monotonic() - self._full_since if len(self._late) == self._most else 0

    async def run(self, function: Callable[[], T], release: Callable[[], object], size: int = 0) -> T:
        """Return what *function* returns, in a thread, where it takes *size* bytes of memory.

        Call *release* when it has ended, also if nobody waits for it. It is called in the event loop, and also if
        *function* is not called. Raise RuntimeError if no thread starts.
        """
        has_thread = False
        try:
            # A late function gives its memory to others, so that those that hang keep no others out but by threads.
            async with self._memory.taken(size):
                await self._free.acquire()
                has_thread = True
                return await self._run(function, release)
        except BaseException:
            if not has_thread:
                release()
            raise

    async def _run(self, function: Callable[[], T], release: Callable[[], object]) -> T:
        loop = asyncio.get_running_loop()

        def end() -> None:
            self._free.release()
            release()

        def ended(future: Future[T]) -> None:
            self._running.discard(future)
            self._late.discard(future)
            with suppress(RuntimeError):  # the loop is closed: so is the server
                loop.call_soon_threadsafe(end)

        try:
            future = self._executor.submit(function)
        except RuntimeError:
            end()
            raise
        self._running.add(future)
        # The callback gets the future: one that refers to it would keep the body until the garbage collector runs.
        future.add_done_callback(ended)
        try:
            return await asyncio.shield(asyncio.wrap_future(future))
        except asyncio.CancelledError:
            self._note_late(future)
            raise

    def _note_late(self, future: Future[Any]) -> None:
        self._late.add(future)
        if len(self._late) == self._most:
            self._full_since = monotonic()
        if future.done():  # meanwhile, so that nothing else removes it
            self._late.discard(future)


class _Memory:
    """Memory of *most* bytes. Those who wait for some get it in their order, and who needs more than all gets all."""

    def __init__(self, most: float) -> None:
        self._most = self._left = most
        self._turn = asyncio.Lock()
        self._freed = asyncio.Event()

    @asynccontextmanager
    async def taken(self, size: int) -> AsyncIterator[None]:
        """Take *size* bytes, as long as the block runs."""
        taken = min(size, self._most)
        async with self._turn:
            while self._left < taken:
                self._freed.clear()
                await self._freed.wait()
            self._left -= taken
        try:
            yield
        finally:
            self._left += taken
            self._freed.set()
