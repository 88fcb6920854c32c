"""Turns: decisions that the event loop makes itself, for a while at a time.

Between two whiles the loop does all else once: it reads from every connection, counts requests and answers health.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from starlette.responses import Response

WHILE = 0.1
"""Seconds. Why not one decision at a time: under overload the loop takes 0.1 s to refuse what all others send, and the
last of 64 requests would wait 6 s."""


class _Waiting(NamedTuple):
    decide: Callable[[], Response]
    decided: asyncio.Future[Response]


class Turns:
    """The decisions that wait for their turn, the oldest first."""

    def __init__(self) -> None:
        self._waiting: deque[_Waiting] = deque()

    async def take(self, decide: Callable[[], Response]) -> Response:
        """Return what *decide* returns when it is its turn; raise as it does."""
        loop = asyncio.get_running_loop()
        waiting = _Waiting(decide, loop.create_future())
        self._waiting.append(waiting)
        if len(self._waiting) == 1:
            loop.call_soon(self._go_on, loop)
        return await waiting.decided

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


def _decide(decide: Callable[[], Response], decided: asyncio.Future[Response]) -> None:
    if decided.cancelled():
        return
    try:
        decided.set_result(decide())
    except Exception as error:  # noqa: BLE001 - whoever waits raises it
        decided.set_exception(error)
