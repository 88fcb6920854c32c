"""A deadline: what is called if something does not happen in time."""

import asyncio
from collections.abc import Callable


class Deadline:
    """A deadline that is set, moved and removed."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_set(self) -> bool:
        """Tell whether the deadline is set, and has not passed."""
        return self._timer is not None

    def set(self, seconds: float, late: Callable[[], None]) -> None:
        """Call *late* in so many *seconds*, in place of what was to be called before."""
        self.remove()
        self._timer = self._loop.call_later(seconds, self._pass, late)

    def remove(self) -> None:
        """Call nothing."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _pass(self, late: Callable[[], None]) -> None:
        self._timer = None
        late()
