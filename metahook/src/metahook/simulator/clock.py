"""Virtual time, and the timers in it."""

import heapq
import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from msgspec import Struct

START = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)
"""The time at which a simulation starts."""


class Timer(Struct, eq=False):
    """An action at a time. ``at`` is in seconds since the start.

    ``idle`` means that the action is not expected to change anything, as with a periodic resync. A world in which only
    idle timers are left is quiet.
    """

    at: float
    action: Callable[[], object]
    idle: bool
    cancelled: bool = False


class Clock:
    """``now`` is in seconds since the start. Time moves only from one timer to the next."""

    def __init__(self, start: datetime = START) -> None:
        self.now = 0.0
        self.pace: Callable[[float], object] = lambda _: None
        """Called with the seconds that are about to pass, so that a display can pass them in real time."""
        self._start = start
        self._timers: list[tuple[float, int, Timer]] = []
        self._numbers = itertools.count()

    def time(self) -> datetime:
        return self.time_at(self.now)

    def time_at(self, moment: float) -> datetime:
        return self._start + timedelta(seconds=moment)

    def stamp(self) -> str:
        """Return the time as Kubernetes writes it, in whole seconds."""
        return self.time().strftime("%Y-%m-%dT%H:%M:%SZ")

    def since(self, stamp: str) -> float:
        """Return how many seconds ago *stamp* was."""
        return (self.time() - datetime.fromisoformat(stamp)).total_seconds()

    def after(self, seconds: float, action: Callable[[], object], *, idle: bool = False) -> Timer:
        """Set a timer for *action*. Timers for the same moment run in the order in which they were set."""
        return self.at(self.now + seconds, action, idle=idle)

    def at(self, moment: float, action: Callable[[], object], *, idle: bool = False) -> Timer:
        """Set a timer for a *moment*, or for now if that is past."""
        timer = Timer(max(self.now, moment), action, idle)
        heapq.heappush(self._timers, (timer.at, next(self._numbers), timer))
        return timer

    @property
    def next_timer(self) -> Timer | None:
        while self._timers and self._timers[0][2].cancelled:
            heapq.heappop(self._timers)
        return self._timers[0][2] if self._timers else None

    @property
    def is_busy(self) -> bool:
        """Whether a timer is left that is not idle."""
        return any(not timer.idle and not timer.cancelled for _, _, timer in self._timers)

    def step(self) -> None:
        """Run the next timer."""
        timer = self.next_timer
        if timer is not None:
            heapq.heappop(self._timers)
            self.sleep(timer.at)
            timer.action()

    def sleep(self, until: float) -> None:
        """Move the time forward to *until* without running anything."""
        if until > self.now:
            self.pace(until - self.now)
            self.now = until
