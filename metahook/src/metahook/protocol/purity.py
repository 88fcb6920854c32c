"""Purity: the same request gives the same response, whatever happened before; and time alone changes none in silence.

A response that is another one each time is written each time, and each write is another sync, for ever.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

import msgspec

from metahook.protocol.changes import changed_paths
from metahook.protocol.request import SyncRequest
from metahook.protocol.response import Response

Decide = Callable[[SyncRequest, datetime], Response]

LATER = timedelta(hours=1)


class ImpureHook(AssertionError):
    """Raised in a test for a hook that is not pure. Its text says in what."""


def impurity(decide: Decide, request: SyncRequest, now: datetime) -> str | None:
    """Return in what *decide* is not pure, such as ``the same request twice differs at status.id``, or None.

    *decide* is called for *request*, then for a parent of another name, and for *request* again. Then it is called for
    a parent with the status that it decided, at once and an hour later.
    """
    first = decide(request, now)
    before = first.encode()  # a later call may change what it returned
    other = replace(request.parent, name=f"{request.parent.name}-2", uid=f"{request.parent.uid}-2")
    with suppress(Exception):  # there may be no such parent
        decide(replace(request, parent=other), now)
    if path := _difference(before, decide(request, now).encode()):
        return f"the same request twice differs at {path}"
    status = request.parent.status if first.status is None else msgspec.json.encode(first.status)
    settled = replace(request, parent=replace(request.parent, status=status))
    at_once, later = decide(settled, now), decide(settled, now + LATER)
    path = _difference(at_once.encode(), later.encode())
    if path and at_once.resync_after is None:
        return f"an hour later the response differs at {path}, and no resync_after asks for that sync"
    return None


def _difference(old: bytes, new: bytes) -> str | None:
    """Return the first path at which two responses differ, or None."""
    if old == new:
        return None
    return next(iter(changed_paths(msgspec.json.decode(old), msgspec.json.decode(new), "")), "a number")
