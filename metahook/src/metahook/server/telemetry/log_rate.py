"""The rate of the log: how many lines a second are written, so that a busy hook does not fill it."""

from collections.abc import Callable

LOG_RATE = 10
"""Lines of calls a second."""


class LogRate:
    """A token bucket: *rate* lines a second on average, and up to two seconds' worth at once.

    The second half of the bucket is for notable lines, so that these are written while there are too many others.
    """

    def __init__(self, rate: float, timer: Callable[[], float]) -> None:
        self._rate = rate
        self._timer = timer
        self._left = 2 * rate
        self._at = timer()

    def take(self, *, is_notable: bool) -> bool:
        """Tell whether there is room for a line, and take it."""
        now = self._timer()
        self._left = min(2 * self._rate, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < (1 if is_notable else 1 + self._rate):
            return False
        self._left -= 1
        return True
