"""The limits of a request: how many objects it may have, how large its parent may be, and how much memory it may take.

Decoded, JSON can take thirty times as many bytes: an empty object has two, and takes 80. So the memory of objects is
estimated before they are decoded, and bounded. Decoding holds the GIL, so the memory bound also bounds how long
everyone else waits.
"""

from contextlib import suppress

import msgspec

from metahook.protocol.bodies import MIB, Encoded, MalformedRequest, ObjectBody, RequestRule

MAX_OBJECTS = 50_000
"""Groups and objects. A request with as many Pods would be 15 times too large."""

MAX_PARENT = 3 * MIB
"""Bytes of a field of the parent. The API server takes no larger request."""

MAX_DECODED = 192 * MIB
"""Bytes of memory that the objects of a request may take at once, decoded; no copy is counted.

An object in etcd has at most 1.5 MiB: up to 800,000 values, 150 MiB by this estimate; a string of colons comes to 181.
"""

_DECODED_FACTOR = 6
"""Bytes of memory for each byte of a body, for those who raise the limit of bodies: as many as for 32 MiB."""

_ALWAYS_FITS = MIB
"""Bytes. In a body that is not larger, objects can't be too many, nor take too much memory."""

_SLICE = 64 * 1024
"""Bytes that are counted at a time."""

_VALUE, _MEMBER = 80, 120
"""Bytes of memory for a value, and what the member of an object takes beyond that."""

_WIDEST = 4
"""Bytes for each character of a text that has one other than ASCII, at most."""


class _Key(str):
    __slots__ = ()


_Groups = dict[_Key, dict[_Key, msgspec.Raw]]


class _Objects(msgspec.Struct):
    children: _Groups | None = None
    attachments: _Groups | None = None
    related: _Groups | None = None


class _TooManyError(Exception):
    """Raised at the first object over the limit. It is no ValueError, which msgspec would replace."""


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
    if len(body) <= _ALWAYS_FITS:
        return
    try:
        with suppress(msgspec.DecodeError, RecursionError):
            msgspec.json.decode(body, type=_Objects, dec_hook=_Counter().count)
    except _TooManyError:
        raise MalformedRequest(RequestRule.OBJECTS, most=f"{MAX_OBJECTS:,}") from None


def check_parent(parent: ObjectBody, path: str, body_size: int) -> None:
    """Raise MalformedRequest if a field of *parent*, at *path* of a body of *body_size* bytes, is too large."""
    if body_size <= MAX_PARENT:
        return
    metadata = parent.metadata
    fields = {
        "apiVersion": parent.api_version,
        "kind": parent.kind,
        "metadata.labels": metadata.labels,
        "metadata.annotations": metadata.annotations,
        "metadata.finalizers": metadata.finalizers,
        "metadata.managedFields": metadata.managed_fields,
        "spec": parent.spec,
        "status": parent.status,
    }
    for field, json in fields.items():
        if json and len(json) > MAX_PARENT:
            raise MalformedRequest(RequestRule.SIZE, path=f"{path}.{field}", most=f"{MAX_PARENT // MIB}")


class TooMuchMemory(MalformedRequest):
    """Raised when the objects of a request would take too much memory: before, or while, a hook looks at them."""

    def __init__(self, most: int) -> None:
        super().__init__(RequestRule.MEMORY, most=f"{most // MIB}")


class DecodedMemory:
    """The memory that the objects of a body of *body_size* bytes take, decoded."""

    def __init__(self, body_size: int = 0) -> None:
        self._is_counted = body_size > _ALWAYS_FITS
        self._most = max(MAX_DECODED, _DECODED_FACTOR * body_size)
        self._left = self._most

    def take(self, json: Encoded, *unread: Encoded) -> None:
        """Note that *json* is decoded, and kept, except its parts *unread*; raise TooMuchMemory."""
        if self._is_counted:
            self._left -= decoded_size(json) - sum(map(decoded_size, unread))
            if self._left < 0:
                raise TooMuchMemory(self._most)

    def check(self, json: Encoded) -> None:
        """Raise TooMuchMemory if *json* alone takes too much."""
        if self._is_counted and len(memoryview(json)) > _ALWAYS_FITS and decoded_size(json) > self._most:
            raise TooMuchMemory(self._most)


UNCOUNTED = DecodedMemory()
"""For objects that come from no large body."""


def decoded_size(json: Encoded) -> int:
    """Return about how many bytes of memory *json* takes as lists and dictionaries.

    What is in a text counts, too: it may be JSON that is decoded later, such as an annotation.
    """
    view, size, is_ascii = memoryview(json), 0, True
    for start in range(0, len(view), _SLICE):
        part = bytes(view[start : start + _SLICE])
        is_ascii = is_ascii and part.isascii()
        size += _VALUE * (part.count(b"{") + part.count(b"[") + part.count(b",")) + _MEMBER * part.count(b":")
    return size + len(view) * (1 if is_ascii else _WIDEST)
