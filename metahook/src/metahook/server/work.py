"""The work of a server: requests are read, counted and decided, within limits that hold for all of them together.

A request in flight is received completely and not yet answered, so a slow sender has none. A short one is decided in
the event loop, where a decision takes about as long as a thread would take to start. A hook that blocks there also
blocks health, so that the kubelet restarts it.
"""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager, suppress
from enum import Enum
from functools import partial
from typing import Any, TypeVar

from starlette.requests import Request

from metahook.protocol.request import Body
from metahook.server.body import Bodies, Headers
from metahook.server.limits import Limits
from metahook.server.refusal import TOO_LONG, TOO_MANY_REQUESTS, Refused
from metahook.server.turns import Turns

LONG = 256 * 1024
"""Bytes. The response to a longer request is computed in a thread, so that health and other requests go on."""

THREADS = 2
"""So that one long request does not wait for the end of another. More would only share the same CPU."""

T = TypeVar("T")


class Start(Enum):
    """When a request that has arrived completely is decided."""

    NOW = "now"
    LATER = "later"
    REFUSED = "refused"


class Work:
    """The work of one server."""

    def __init__(self, limits: Limits) -> None:
        self.in_flight = 0
        """Requests."""
        self._limits = limits
        self._bodies = Bodies(limits)
        self._turns = Turns()
        self._threads = ThreadPoolExecutor(THREADS, "hook")
        self._in_threads: set[Future[Any]] = set()

    @property
    def is_in_threads(self) -> bool:
        """Whether a thread decides. Python waits for it before the process exits."""
        return bool(self._in_threads)

    def try_start(self, headers: Headers, body: Body) -> Start:
        """Count a request with *headers* and this whole *body* if it is decided now; tell when it is decided.

        Its body takes no share of the memory for small bodies: the decision is made before the loop reads anything
        else.
        """
        if self._is_full:  # Why first: under overload most requests are refused, so a refusal must cost little
            return Start.REFUSED
        is_short = len(body) <= LONG
        return Start.NOW if is_short and self._bodies.accept(headers, body) and self._turns.try_take() else Start.LATER

    async def do(
        self, request: Request, decide: Callable[[Body], T], received: Callable[[Body], None] = lambda _: None
    ) -> T:
        """Return what *decide* returns for the body of *request*; raise Refused, ClientDisconnect, or as *decide* does.

        *received* is called with the body before that, in the event loop. A thread may call *decide*.
        """
        if self._is_full:  # Why here, too: under overload most requests are refused, and their bodies need not be read
            raise Refused(TOO_MANY_REQUESTS)
        async with AsyncExitStack() as held:
            body = await held.enter_async_context(self._bodies.read(request))
            received(body)
            held.enter_context(self._counted())
            if len(body) > LONG:
                return await self._decide_long(body, decide, held)
            return await self._turns.take(partial(decide, body))

    @property
    def _is_full(self) -> bool:
        """Whether no more requests may be in flight."""
        # Why those that are answered, too: what arrives in one round of the loop is in flight at the same time.
        return self.in_flight + self._turns.made_in_slice >= self._limits.max_in_flight

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Count one more request in flight until the block ends; raise Refused if there are too many."""
        if self._is_full:
            raise Refused(TOO_MANY_REQUESTS)
        self.in_flight += 1
        try:
            yield
        finally:
            self.in_flight -= 1

    async def _decide_long(self, body: Body, decide: Callable[[Body], T], held: AsyncExitStack) -> T:
        """Decide in a thread. It can't be stopped, so what is *held* for its body is given back when it ends."""
        future = self._threads.submit(decide, body)
        self._in_threads.add(future)
        future.add_done_callback(self._in_threads.discard)
        try:
            async with asyncio.timeout(self._limits.decide_timeout):
                return await asyncio.shield(asyncio.wrap_future(future))
        except TimeoutError:
            raise Refused(TOO_LONG) from None
        finally:
            if not (future.done() or future.cancel()):
                _close_after(future, held.pop_all())


def _close_after(future: Future[T], held: AsyncExitStack) -> None:
    """Close *held* when *future* is done."""
    loop = asyncio.get_running_loop()

    def close(_: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: so is the server
            loop.call_soon_threadsafe(lambda: loop.create_task(held.aclose()))

    future.add_done_callback(close)
