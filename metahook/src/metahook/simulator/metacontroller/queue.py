"""The work queue: which parents are to be synced, and when those that failed are tried again.

Source: client-go's rate limiting queue; Metacontroller 4.17, pkg/controller/composite/controller.go.
"""

import math
from collections.abc import Callable

from metahook.simulator.clock import Clock, Plan
from metahook.simulator.objects import Key

FIRST_RETRY = 0.005
"""Seconds; each further one waits twice as long."""

LAST_RETRY = 1000.0
"""Seconds, at most."""

SOON = 0.001
"""Seconds that even an immediate retry takes."""

HOPELESS = 10
"""Failures in a row after which another try is no news."""

OFTEN = 600
"""Seconds; the regular look at all parents comes no more often."""

FUTILE = 3
"""Timers of the hook in a row after which another one is no news, if nothing was written in between."""


class WorkQueue:
    """Keys to work on, each once; *work* is called with the key, and whether it is only a look whether all is well."""

    def __init__(self, clock: Clock, work: Callable[[Key, bool], None]) -> None:
        self._clock = clock
        self._work = work
        self._plans: dict[Key, Plan] = {}
        self._ready: dict[Key, Plan] = {}
        self._failures: dict[Key, int] = {}
        self._asked: dict[Key, float] = {}
        self._timers: dict[Key, int] = {}

    def add(self, key: Key, *, idle: bool = False) -> None:
        """Work on *key* at once; that it is waiting already makes no difference."""
        if not idle:
            self.wrote(key)
        self._add(key, idle=idle)

    def wrote(self, key: Key) -> None:
        """Note that there is news of *key*."""
        self._timers.pop(key, None)

    def ask(self, key: Key, seconds: float, *, idle: bool) -> None:
        """Work on *key* after *seconds*, as the hook asked."""
        self._asked[key] = min(self._clock.now + seconds, self._asked.get(key, math.inf))
        self.add_after(key, seconds, idle=idle or (seconds < OFTEN and self._is_futile(key)))

    def _is_futile(self, key: Key) -> bool:
        """Tell whether so many timers of *key* brought no news that the next one is not expected to."""
        return self._timers.get(key, 0) >= FUTILE

    def _add(self, key: Key, *, idle: bool) -> None:
        ready = self._ready.get(key)
        if ready is not None:
            ready.idle = ready.idle and idle
            return
        self._ready[key] = self._clock.after(0, lambda: self._do(key), idle=idle)

    def add_after(self, key: Key, seconds: float, *, idle: bool = False) -> None:
        """Work on *key* after *seconds*; of several such requests the earliest counts."""
        planned = self._plans.get(key)
        at = self._clock.now + max(seconds, SOON)
        if planned is not None and not planned.cancelled and planned.at <= at:
            planned.idle = planned.idle and idle
            return
        if planned is not None and not planned.cancelled:
            planned.cancelled = True
            idle = idle and planned.idle  # what comes instead stands for both
        self._plans[key] = self._clock.after(at - self._clock.now, lambda: self._due(key), idle=idle)

    def retry(self, key: Key) -> None:
        """Work on *key* again, after a while that grows from failure to failure."""
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        self.add_after(key, min(FIRST_RETRY * 2.0 ** min(failures, 20), LAST_RETRY), idle=failures >= HOPELESS)

    def forget(self, key: Key) -> None:
        """Note that *key* succeeded."""
        self._failures.pop(key, None)

    def clear(self) -> None:
        """Forget everything, as a process that ends."""
        for plan in (*self._plans.values(), *self._ready.values()):
            plan.cancelled = True
        self._plans.clear()
        self._ready.clear()
        self._failures.clear()
        self._asked.clear()
        self._timers.clear()

    def _due(self, key: Key) -> None:
        self._add(key, idle=self._plans.pop(key).idle)

    def _do(self, key: Key) -> None:
        if self._asked.get(key, math.inf) <= self._clock.now:
            del self._asked[key]
            self._timers[key] = self._timers.get(key, 0) + 1
        self._work(key, self._ready.pop(key).idle)
