"""The work queue: the parents to sync, and the retries of those that failed.

Source: client-go's rate limiting queue; Metacontroller 4.17, pkg/controller/composite/controller.go.
"""

import math
from collections.abc import Callable

from metahook.simulator.clock import Clock, Timer
from metahook.simulator.objects import Key

FIRST_RETRY = 0.005
"""Seconds; each further retry of a key waits twice as long."""

LAST_RETRY = 1000.0
"""Seconds; the longest delay of a key."""

RATE = 10
"""Retries in a second, for all keys."""

BURST = 100
"""Retries of all keys that can be due at once."""


class RateLimiter:
    """How long a key waits for its next retry: it counts the failures of each key in a row, and all retries.

    Source: client-go, util/workqueue, DefaultTypedControllerRateLimiter: the longer of two delays. One grows with the
    failures of the key; the other is that of a token bucket, golang.org/x/time/rate, for the retries of all keys.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.clear()

    def clear(self) -> None:
        """Start anew, as a process that starts."""
        self._failures: dict[Key, int] = {}
        self._tokens = float(BURST)
        self._at = self._clock.now

    def failures(self, key: Key) -> int:
        """Return the number of failures of *key* since its last success."""
        return self._failures.get(key, 0)

    def when(self, key: Key) -> float:
        """Count a failure of *key*; return the seconds until its retry."""
        failures = self.failures(key)
        self._failures[key] = failures + 1
        return max(min(FIRST_RETRY * 2.0 ** min(failures, 20), LAST_RETRY), self._reserve())

    def forget(self, key: Key) -> None:
        """Count the failures of *key* from zero, because its sync succeeded."""
        self._failures.pop(key, None)

    def _reserve(self) -> float:
        """Take a token, which may be one of the future; return the seconds until it is there."""
        passed, self._at = self._clock.now - self._at, self._clock.now
        self._tokens = min(BURST, self._tokens + passed * RATE) - 1
        return max(0.0, -self._tokens / RATE)


SOON = 0.001
"""Seconds; the shortest wait."""

IDLE_FAILURES = 10
"""Failures in a row after which further retries count as idle."""

RESYNC = 600
"""Seconds; a requested timer that is shorter than the periodic resync can count as idle."""

IDLE_TIMERS = 3
"""Timers of the hook in a row, without a write in between, after which further ones count as idle."""


class WorkQueue:
    """Keys to sync, each once. *work* is called with the key, and whether the sync is idle (see Timer)."""

    def __init__(self, clock: Clock, work: Callable[[Key, bool], None]) -> None:
        self._clock = clock
        self._work = work
        self._delayed: dict[Key, Timer] = {}
        self._ready: dict[Key, Timer] = {}
        self._limiter = RateLimiter(clock)
        self._requested: dict[Key, float] = {}
        self._timer_counts: dict[Key, int] = {}

    def add(self, key: Key, *, idle: bool = False) -> None:
        """Queue *key* now; nothing changes if it is queued already."""
        if not idle:
            self.reset_timers(key)
        self._add(key, idle=idle)

    def reset_timers(self, key: Key) -> None:
        """Count the hook's timers of *key* from zero, because something changed."""
        self._timer_counts.pop(key, None)

    def add_requested(self, key: Key, seconds: float, *, idle: bool) -> None:
        """Queue *key* after *seconds*, as resyncAfterSeconds of the response requests."""
        self._requested[key] = min(self._clock.now + seconds, self._requested.get(key, math.inf))
        self.add_after(key, seconds, idle=idle or (seconds < RESYNC and self._has_idle_timers(key)))

    def _has_idle_timers(self, key: Key) -> bool:
        """Tell whether the last timers of *key* changed nothing, so that the next one is not expected to."""
        return self._timer_counts.get(key, 0) >= IDLE_TIMERS

    def _add(self, key: Key, *, idle: bool) -> None:
        ready = self._ready.get(key)
        if ready is not None:
            ready.idle = ready.idle and idle
            return
        self._ready[key] = self._clock.after(0, lambda: self._do(key), idle=idle)

    def add_after(self, key: Key, seconds: float, *, idle: bool = False) -> None:
        """Queue *key* after *seconds*; of several such requests the earliest counts."""
        timer = self._delayed.get(key)
        at = self._clock.now + max(seconds, SOON)
        if timer is not None and not timer.cancelled and timer.at <= at:
            timer.idle = timer.idle and idle
            return
        if timer is not None and not timer.cancelled:
            timer.cancelled = True
            idle = idle and timer.idle  # the earlier timer replaces both
        self._delayed[key] = self._clock.after(at - self._clock.now, lambda: self._due(key), idle=idle)

    def retry(self, key: Key) -> None:
        """Queue *key* again, when the rate limiter allows it."""
        idle = self._limiter.failures(key) >= IDLE_FAILURES
        self.add_after(key, self._limiter.when(key), idle=idle)

    def expect_success(self) -> None:
        """Let no retry that is due later be idle, because what failed may succeed now."""
        for key, timer in self._delayed.items():
            timer.idle = timer.idle and not self._limiter.failures(key)

    def forget(self, key: Key) -> None:
        """Reset the backoff of *key*, because its sync succeeded."""
        self._limiter.forget(key)

    def clear(self) -> None:
        """Forget everything, as when the process ends."""
        for timer in (*self._delayed.values(), *self._ready.values()):
            timer.cancelled = True
        self._delayed.clear()
        self._ready.clear()
        self._limiter.clear()
        self._requested.clear()
        self._timer_counts.clear()

    def _due(self, key: Key) -> None:
        self._add(key, idle=self._delayed.pop(key).idle)

    def _do(self, key: Key) -> None:
        if self._requested.get(key, math.inf) <= self._clock.now:
            del self._requested[key]
            self._timer_counts[key] = self._timer_counts.get(key, 0) + 1
        self._work(key, self._ready.pop(key).idle)
