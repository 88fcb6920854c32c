"""A controller's way to react: a moment after something happened, once for several things, again if refused."""

from collections.abc import Callable

from metahook.simulator.apiserver.rules import Refused
from metahook.simulator.clock import Clock, Plan
from metahook.simulator.objects import Key

RETRY = 5.0
"""Seconds until what was refused is tried again."""


class Wake:
    """Calls *reconcile* for a key, *late* seconds after it was woken for it."""

    def __init__(self, clock: Clock, reconcile: Callable[[Key], None], late: float) -> None:
        self._clock = clock
        self._reconcile = reconcile
        self._late = late
        self._soon: set[Key] = set()
        self._timers: dict[Key, Plan] = {}

    def __call__(self, key: Key) -> None:
        """Reconcile *key* soon."""
        if key not in self._soon:
            self._soon.add(key)
            self._clock.after(self._late, lambda: self._do(key))

    def at(self, key: Key, seconds: float | None) -> None:
        """Reconcile *key* after *seconds*, or not, instead of at the moment that was asked for before."""
        old = self._timers.pop(key, None)
        if old is not None:
            old.cancelled = True
        if seconds is not None:
            self._timers[key] = self._clock.after(seconds, lambda: self(key))

    def _do(self, key: Key) -> None:
        self._soon.discard(key)
        try:
            self._reconcile(key)
        except Refused:
            self._clock.after(RETRY, lambda: self(key), idle=True)
