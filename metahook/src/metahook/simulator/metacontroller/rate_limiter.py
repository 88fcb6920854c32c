"""The rate limiter of the work queue: how long a key waits for its next retry.

Source: client-go, util/workqueue, DefaultTypedControllerRateLimiter: the longer of two delays. One grows with the
failures of the key; the other is that of a token bucket, golang.org/x/time/rate, for the retries of all keys.
"""

from metahook.simulator.clock import Clock
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
    """Counts the failures of each key in a row, and the retries of all keys."""

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
