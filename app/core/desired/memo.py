"""A memo of what depends on a generation of a MyResource alone: most syncs of a generation need the same.

The functions that use it stay pure: a key names all that its value depends on, and nothing changes what a value
contains; the gate notes on a manifest that it was accepted. No key names what the operator watches, so each controller
needs a memo of its own.
"""

from collections.abc import Hashable
from contextlib import suppress
from threading import Lock
from typing import Any

from cachetools import LRUCache

BOUND = 16 * 1024 * 1024
"""Bytes that a memo takes."""


class GenerationMemo:
    """Remembers values within *bound* bytes, and forgets the one that was used least recently. Any thread may use it.

    It trusts the sizes that it is told. A key must name everything that the value depends on.
    """

    def __init__(self, bound: int = BOUND) -> None:
        self._entries: LRUCache[Hashable, tuple[Any, int]] = LRUCache(bound, getsizeof=lambda entry: entry[1])
        self._lock = Lock()

    def get(self, key: Hashable) -> Any:  # noqa: ANN401 - what was put
        with self._lock:
            try:
                return self._entries[key][0]
            except KeyError:
                return None

    def put(self, key: Hashable, value: object, size: int) -> None:
        """Remember *value*, which takes *size* bytes with its *key*; one that is larger than the bound is not."""
        with self._lock, suppress(ValueError):  # the cache refuses a value that is larger than its bound
            self._entries[key] = (value, size)


def memory_of(json: bytes, an_object: int) -> int:
    """Return how many bytes of memory it takes to remember *json*, decoded, and its key.

    It is estimated from the JSON, because to visit each object would take as long as to make it. Other characters than
    ASCII, also escaped ones, count more: one in a text makes Python take up to four bytes for each character.
    """
    texts = len(json) * (2 if json.isascii() and b"\\u" not in json else 5)
    items = 16 * json.count(b",") + 60 * json.count(b":")
    return 2100 + texts + items + an_object * (json.count(b"{") + json.count(b"["))
