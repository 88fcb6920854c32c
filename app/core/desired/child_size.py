"""The size of a child: how large it may be, as Metacontroller writes it."""

import msgspec

from metahook import EncodedManifest

MAX_CHILD = 200 * 1024
"""Bytes. Metacontroller's dynamic-apply puts a child into an annotation, and those may have 256 KiB together."""

_ESCAPED = (b"<", b">", b"&", "\u2028".encode(), "\u2029".encode())
"""Go writes each of these as six bytes. Source: encoding/json, ``Marshal``."""

_MAX_GROWTH = 12
"""Times that a child can grow: six times by escaping, and its annotations are there once more."""


def is_too_large(child: EncodedManifest) -> bool:
    """Tell whether *child* and its record among its annotations are larger than MAX_CHILD, as Go writes them."""
    if _MAX_GROWTH * len(child.json) <= MAX_CHILD:
        return False
    parts = [bytes(child.json), msgspec.json.encode(child["metadata"]["annotations"])]
    return sum(len(part) + sum((6 - len(each)) * part.count(each) for each in _ESCAPED) for part in parts) > MAX_CHILD
