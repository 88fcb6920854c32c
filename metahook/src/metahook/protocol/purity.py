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

TIMES = ("lastTransitionTime", "lastUpdateTime", "lastProbeTime")
"""Times that may be new in each response, as long as the status is not stored."""

MOST_PATHS = 3
"""Paths that a text names, and counts the others."""

MOST_STEPS = 10
"""Syncs within which a status settles if nothing else changes: some go on by steps."""


class ImpureHook(AssertionError):
    """Raised in a test for a hook that is not pure. Its text says in what."""


def impurity(decide: Decide, request: SyncRequest, now: datetime) -> str | None:
    """Return in what *decide* is not pure, such as ``the same request twice differs at status.id``, or None.

    *decide* is called for *request*, then for a parent of another name, and for *request* again. Then it is called for
    a parent with the status that it decided, until that status stays; and for the last one an hour later.
    """
    before = decide(request, now).encode()  # a later call may change what it returned
    other = replace(request.parent, name=f"{request.parent.name}-2", uid=f"{request.parent.uid}-2")
    with suppress(Exception):  # there may be no such parent
        decide(replace(request, parent=other), now)
    if paths := differing(before, decide(request, now).encode()):
        return f"the same request twice differs at {paths}"
    for _ in range(MOST_STEPS):
        request = _after(request, before)
        at_once = decide(request, now)
        paths, before = differing(before, at_once.encode()), at_once.encode()
        if not paths:
            break
    else:
        return f"each sync changes {paths}, so each one is followed by another"
    paths = differing(before, decide(request, now + LATER).encode())
    if paths and at_once.resync_after is None:
        return f"an hour later the response differs at {paths}, and no resync_after asks for that sync"
    return None


def _after(request: SyncRequest, response: bytes) -> SyncRequest:
    """Return *request* as it is once the status in *response* is written."""
    status = msgspec.json.decode(response, type=_Response).status
    return replace(request, parent=replace(request.parent, status=bytes(status))) if status else request


class _Response(msgspec.Struct):
    status: msgspec.Raw = msgspec.Raw()


def differing(old: bytes, new: bytes, *, but: tuple[str, ...] = ()) -> str:
    """Return the paths at which two responses differ, for a sentence, without those that end in one of *but*."""
    if old == new:
        return ""
    paths = changed_paths(msgspec.json.decode(old), msgspec.json.decode(new), "") or ["a number"]
    left = [path or "the response" for path in paths if not path.endswith(but)] if but else paths
    more = [f"{len(left) - MOST_PATHS} more"] if len(left) > MOST_PATHS else []
    return " and ".join(filter(None, [", ".join(left[:MOST_PATHS]), *more]))
