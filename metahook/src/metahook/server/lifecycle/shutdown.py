"""The shutdown: how the server stops without losing a request.

1. SIGTERM, or SIGHUP, ends readiness. For the time *drain* requests are still served, while the Pod is removed from
   its Service. Each response closes its connection, so that the client opens the next one to another Pod.
2. The port is closed, and each connection without a request. HTTP/1.1 has no way to announce this: a client that sends
   its next request at that very moment loses it. After *drain* only connections that are hardly used are left.
3. Requests in progress have the time *stop_timeout*. The others are cut off: they get a refusal.

SIGINT, such as Ctrl-C, skips step 1. A second signal skips what remains of steps 1 and 3.
"""

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from metahook.server.lifecycle.server import Server
from metahook.server.telemetry.log_event import LogEvent
from metahook.server.telemetry.telemetry import Telemetry

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)

CUT_OFF = 1
"""Exit code of a process that stops before all requests are finished."""

MARGIN = 1.0
"""Seconds for the refusals of requests that are cut off. After them the process exits, whatever it does."""

log = logging.getLogger(__name__)


class Shutdown:
    """The shutdown of one server. Times are in seconds."""

    def __init__(self, drain: float, stop_timeout: float, telemetry: Telemetry) -> None:
        self._drain = drain
        self._stop_timeout = stop_timeout
        self._telemetry = telemetry
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_serving = False
        self._begun = asyncio.Event()
        self._forced = asyncio.Event()

    @property
    def is_ready(self) -> bool:
        """Whether the hooks are served, and no signal has arrived."""
        return self._is_serving and not self._begun.is_set()

    def serving(self) -> None:
        """Note that the hooks are served from now on."""
        self._is_serving = True
        log.info(LogEvent("ready"))

    # Signals

    @contextmanager
    def on_signals(self) -> Iterator[None]:
        """Begin at a signal, until the block ends. Before :meth:`attach` a signal ends the process."""
        timers: list[threading.Timer] = []

        def handle(number: int, _: FrameType | None) -> None:
            if self._loop is None:
                os._exit(128 + number)
            if len(timers) < 2:  # noqa: PLR2004 - one for the first signal, and one for those that follow
                timers.append(_exit_after(MARGIN + (0 if timers else self._drain + self._stop_timeout)))
            self._loop.call_soon_threadsafe(self.begin, signal.Signals(number))

        # A hook function that never returns blocks the loop, and with it the handlers of add_signal_handler.
        is_nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        signals = [each for each in SIGNALS if not (is_nohup and each is signal.SIGHUP)]
        previous = {each: signal.signal(each, handle) for each in signals}
        try:
            yield
        finally:
            for each, handler in previous.items():
                signal.signal(each, handler)
            for timer in timers:
                timer.cancel()

    def attach(self) -> None:
        """Take signals to the running loop from now on."""
        self._loop = asyncio.get_running_loop()

    def begin(self, number: signal.Signals) -> None:
        """Begin the shutdown, or skip what remains of it."""
        if self._begun.is_set():
            self._forced.set()
        elif number is signal.SIGINT or not self._is_serving:
            self._drain = 0
        log.info(LogEvent("stopping", signal=number.name))
        self._begun.set()

    # Steps

    async def stop(self, hook_server: Server, served: asyncio.Task[None]) -> None:
        """Wait for a signal, and stop *hook_server*, which *served* runs. End the process if requests are cut off."""
        await self._begun.wait()
        hook_server.end_connections()
        await self._forced_within(self._drain)
        log.info(LogEvent("drained"))
        hook_server.should_exit = True
        forced = asyncio.create_task(self._forced.wait())
        await asyncio.wait({served, forced}, timeout=self._stop_timeout, return_when=asyncio.FIRST_COMPLETED)
        forced.cancel()
        if unfinished := set(hook_server.server_state.tasks):
            await self._cut_off(unfinished)
        self._telemetry.end()

    async def _cut_off(self, requests: set[asyncio.Task[None]]) -> None:
        """Cancel *requests*, so that their connections refuse them, and end the process."""
        for request in requests:
            request.cancel()
        await asyncio.wait(requests, timeout=MARGIN / 2)
        await asyncio.sleep(MARGIN / 10)  # in which the loop writes what was sent to the sockets
        self._telemetry.end()
        os._exit(CUT_OFF)  # Python would wait for threads, and one that computes a response can't be stopped

    async def _forced_within(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._forced.wait()


def _exit_after(seconds: float) -> threading.Timer:
    """End the process after *seconds*, even if the loop does not run."""
    timer = threading.Timer(seconds, os._exit, (CUT_OFF,))
    timer.daemon = True
    timer.start()
    return timer
