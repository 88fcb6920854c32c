"""Turns: decisions that the event loop makes itself, for a while at a time.

Between two whiles the loop does all else once: it reads from every connection, counts requests and answers health.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

WHILE = 0.1
"""Seconds. Why not one decision at a time: under overload the loop takes 0.1 s to refuse what all others send, and the
last of 64 requests would wait 6 s."""


class _Waiting(NamedTuple):
    decide: Callable[[], Any]
    decided: asyncio.Future[Any]


class Turns:
    """The decisions that wait for their turn, the oldest first."""

    def __init__(self) -> None:
        self._waiting: deque[_Waiting] = deque()
        self._end: float | None = None
        """When the while ends in which decisions are made without waiting; None before the first one."""
        self.made = 0
        """Decisions that were made without waiting in this while."""

    def take_now(self) -> bool:
        """Tell whether a decision may be made now, without a turn: none waits, and this while is not over."""
        if self._waiting:
            return False
        now = time.monotonic()
        if self._end is None:
            self._end = now + WHILE
            asyncio.get_running_loop().call_soon(self._end_while)
        if now >= self._end:
            return False
        self.made += 1
        return True

    def _end_while(self) -> None:
        """Begin anew: the loop has done all else."""
        self._end, self.made = None, 0

    async def take(self, decide: Callable[[], T]) -> T:
        """Return what *decide* returns when it is its turn; raise as it does."""
        loop = asyncio.get_running_loop()
        decided: asyncio.Future[T] = loop.create_future()
        self._waiting.append(_Waiting(decide, decided))
        if len(self._waiting) == 1:
            loop.call_soon(self._go_on, loop)
        return await decided

    def _go_on(self, loop: asyncio.AbstractEventLoop) -> None:
        """Decide for a while."""
        end = time.monotonic() + WHILE
        while self._waiting:
            _decide(*self._waiting[0])
            # Why after it is decided: until then, no other task starts a second round of turns.
            self._waiting.popleft()
            if time.monotonic() >= end:
                break
        if self._waiting:
            loop.call_soon(self._go_on, loop)


def _decide(decide: Callable[[], T], decided: asyncio.Future[T]) -> None:
    if decided.cancelled():
        return
    try:
        decided.set_result(decide())
    except Exception as error:  # noqa: BLE001 - whoever waits raises it
        decided.set_exception(error)
