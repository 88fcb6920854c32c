"""Turns: the event loop makes decisions itself, in slices of 0.1 s.

After each slice it handles everything else once: it reads from all connections, counts requests and answers health
checks.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

SLICE = 0.1
"""Seconds. Why not one decision per slice: under overload the loop needs 0.1 s to refuse the other requests, so the
last of 64 would wait 6 s."""


class _Waiting(NamedTuple):
    decide: Callable[[], Any]
    future: asyncio.Future[Any]


class Turns:
    """The decisions that wait for their turn, the oldest first."""

    def __init__(self) -> None:
        self._waiting: deque[_Waiting] = deque()
        self._end: float | None = None
        """End of the slice for decisions that did not wait; None if no slice has begun."""
        self.made_in_slice = 0
        """Decisions that were made in this slice and did not wait."""

    def try_take(self) -> bool:
        """Count a decision that is made now if none waits and the slice has not ended; tell whether it was done."""
        if self._waiting:
            return False
        now = time.monotonic()
        if self._end is None:
            self._end = now + SLICE
            asyncio.get_running_loop().call_soon(self._end_slice)
        if now >= self._end:
            return False
        self.made_in_slice += 1
        return True

    def _end_slice(self) -> None:
        """End the slice: the loop has handled everything else."""
        self._end, self.made_in_slice = None, 0

    async def take(self, decide: Callable[[], T]) -> T:
        """Return what *decide* returns when it is its turn; raise as it does."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._waiting.append(_Waiting(decide, future))
        if len(self._waiting) == 1:
            loop.call_soon(self._decide_waiting, loop)
        return await future

    def _decide_waiting(self, loop: asyncio.AbstractEventLoop) -> None:
        """Make the decisions that wait, for one slice."""
        end = time.monotonic() + SLICE
        while self._waiting:
            try:
                _decide(*self._waiting[0])
            finally:
                # Why after it is decided: until then, no other task starts a second round of turns.
                self._waiting.popleft()
            if time.monotonic() >= end:
                break
        if self._waiting:
            loop.call_soon(self._decide_waiting, loop)


def _decide(decide: Callable[[], T], future: asyncio.Future[T]) -> None:
    if future.cancelled():
        return
    try:
        future.set_result(decide())
    except Exception as error:  # noqa: BLE001 - whoever waits raises it
        future.set_exception(error)
