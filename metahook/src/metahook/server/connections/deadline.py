"""A deadline: what is called if something does not happen in time."""

import asyncio
from collections.abc import Callable


class Deadline:
    """A deadline that is set, moved and removed.

    Its timer is moved only when it fires: a connection sets several deadlines for each request, and hardly one of
    them passes.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None
        self._fires_at = 0.0
        self._at: float | None = None
        self._on_late: Callable[[], object]

    @property
    def is_set(self) -> bool:
        """Tell whether the deadline is set, and has not passed."""
        return self._at is not None

    def set(self, seconds: float, on_late: Callable[[], object]) -> None:
        """Call *on_late* in so many *seconds*, in place of what was to be called before."""
        self._at = self._loop.time() + seconds
        self._on_late = on_late
        if self._timer is None or self._fires_at > self._at:
            self._cancel()
            self._start(self._at)

    def remove(self) -> None:
        """Call nothing."""
        self._at = None

    def end(self) -> None:
        """Remove the deadline and its timer, which would keep the owner in memory."""
        self._at = None
        self._cancel()

    def _cancel(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _start(self, at: float) -> None:
        self._fires_at = at
        self._timer = self._loop.call_at(at, self._fire)

    def _fire(self) -> None:
        self._timer = None
        if self._at is None:
            return
        if self._at > self._fires_at:
            self._start(self._at)
            return
        self._at = None
        self._on_late()
