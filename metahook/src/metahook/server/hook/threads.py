"""Threads for decisions. One that has begun can't be stopped; one that waits for a thread leaves nothing behind."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

T = TypeVar("T")


class Threads:
    """At most *most* threads, which are named after *name*.

    A call waits for its thread in the event loop. An executor would keep each call until a thread is free, also the
    body of a request that was refused long ago: for ever, if functions do not return.
    """

    def __init__(self, most: int, name: str) -> None:
        self._executor = ThreadPoolExecutor(most, name)
        self._free = asyncio.Semaphore(most)
        self._running: set[Future[Any]] = set()

    @property
    def are_busy(self) -> bool:
        """Whether a function runs. Python waits for it before the process exits."""
        return bool(self._running)

    async def run(self, function: Callable[[], T], release: Callable[[], object]) -> T:
        """Return what *function* returns, in a thread. Call *release* when it has ended, also if nobody waits for it.

        It is called in the event loop, and also if *function* is not called. Raise RuntimeError if no thread starts.
        """
        loop = asyncio.get_running_loop()
        try:
            await self._free.acquire()
        except BaseException:
            release()
            raise

        def end() -> None:
            self._free.release()
            release()

        def ended(future: Future[T]) -> None:
            self._running.discard(future)
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
        return await asyncio.shield(asyncio.wrap_future(future))
