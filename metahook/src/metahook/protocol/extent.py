"""The extent of a request: how many objects it may have, and how large its parent may be.

A body of 32 MiB that is nothing but tiny objects would take 600 MiB, and seconds in which no other request is answered.
"""

from contextlib import suppress

import msgspec

from metahook.protocol.malformed import MalformedRequest, RequestRule
from metahook.protocol.wire import ParentBody

MAX_OBJECTS = 50_000
"""Groups and objects. A request with as many Pods would be 15 times too large."""

MAX_PARENT = 3 * 1024 * 1024
"""Bytes of a parent's spec or status. The API server takes no larger request."""

_UNCOUNTED = 1024 * 1024
"""Bytes. In a body that is not larger, objects can't be too many."""


class _Key(str):
    __slots__ = ()


_Groups = dict[_Key, dict[_Key, msgspec.Raw]]


class _Objects(msgspec.Struct):
    children: _Groups | None = None
    related: _Groups | None = None


class _TooManyError(Exception):
    """Raised at the first object that is one too many. It is no ValueError, which msgspec would replace."""


class _Counter:
    def __init__(self) -> None:
        self._count = 0

    def count(self, kind: type[_Key], key: str) -> _Key:
        """Return *key* as the type *kind*, after counting it."""
        self._count += 1
        if self._count > MAX_OBJECTS:
            raise _TooManyError
        return kind(key)


def check_objects(body: bytes | bytearray) -> None:
    """Raise MalformedRequest if *body* has too many objects. A body of another shape is left to who reads it."""
    if len(body) <= _UNCOUNTED:
        return
    try:
        with suppress(msgspec.DecodeError, RecursionError):
            msgspec.json.decode(body, type=_Objects, dec_hook=_Counter().count)
    except _TooManyError:
        raise MalformedRequest(RequestRule.OBJECTS, most=f"{MAX_OBJECTS:,}") from None


def check_parent(parent: ParentBody) -> None:
    """Raise MalformedRequest if the spec or the status of *parent* is too large."""
    for path, json in (("parent.spec", parent.spec), ("parent.status", parent.status)):
        if len(json) > MAX_PARENT:
            raise MalformedRequest(RequestRule.SIZE, path=path, most=f"{MAX_PARENT // _UNCOUNTED}")
