"""A memo: values that pure functions returned, by all that they depend on, within a bound of memory.

Whoever serves a controller creates the memo and passes it in, so that functions stay pure: a value of the memo equals
the one that the function would return.
"""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

from metahook.protocol.wire import MIB

V = TypeVar("V")

BOUND = 16 * MIB
"""Bytes."""


class Memo(Generic[V]):
    """Remembers values within *bound* bytes, and forgets the one that was used least recently. Any thread may use it.

    It trusts the sizes that it is told. A key must name everything that the value depends on.
    """

    def __init__(self, bound: int = BOUND) -> None:
        self._bound = bound
        self._left = bound
        self._entries: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> V | None:
        """Return the value for *key*, or None."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: Hashable, value: V, size: int) -> None:
        """Remember *value*, which takes *size* bytes with its *key*; one that is larger than the bound is not."""
        with self._lock:
            self._forget(key)
            if size > self._bound:  # Why: it would displace all others, and then itself
                return
            self._entries[key] = (value, size)
            self._left -= size
            while self._left < 0:
                self._forget(next(iter(self._entries)))

    def _forget(self, key: Hashable) -> None:
        _, size = self._entries.pop(key, (None, 0))
        self._left += size
