"""Purity, the one rule: the same request gives the same response, and another one later only if that asks for a resync.

A response that is another one each time is written each time, and each write is another sync, for ever. This rule is
asked of a request in a test, of the history of a simulated cluster, and of its requests when they are sent again.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta

import msgspec
from msgspec.structs import replace

from metahook.protocol.objects import changed_paths
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

    def response(asked: SyncRequest, at: datetime) -> bytes:
        return decide(asked, at).encode()  # a later call may change what it returned

    before = response(request, now)
    other = replace(request.parent, name=f"{request.parent.name}-2", uid=f"{request.parent.uid}-2")
    with suppress(Exception):  # there may be no such parent
        decide(replace(request, parent=other), now)
    if paths := differing(before, response(request, now)):
        return f"the same request twice differs at {paths}"
    for _ in range(MOST_STEPS):
        request = _after(request, before)
        paths = differing(before, before := response(request, now))
        if not paths:
            break
    else:
        return f"each sync changes {paths}, so each one is followed by another"
    if paths := unasked(before, response(request, now + LATER)):
        return f"an hour later the response differs at {paths}, and no resync_after asks for that sync"
    return None


def _after(request: SyncRequest, response: bytes) -> SyncRequest:
    """Return *request* as it is once the status in *response* is written."""
    status = msgspec.json.decode(response, type=_Response).status
    return replace(request, parent=replace(request.parent, status=bytes(status))) if status else request


class _Response(msgspec.Struct):
    status: msgspec.Raw = msgspec.Raw()


def unasked(before: bytes | None, after: bytes | None, *, stored: bool = True) -> str:
    """Return the paths at which a response differs *after* some time, if that *before* asks for no resync."""
    response = msgspec.json.decode(before or b"null")
    is_asked = isinstance(response, dict) and response.get("resyncAfterSeconds")
    return "" if is_asked else differing(before, after, stored=stored)


def differing(old: bytes | None, new: bytes | None, *, stored: bool = True) -> str:
    """Return the paths at which two responses differ, for a sentence; none if one is missing.

    If the status is not yet *stored*, its times may differ.
    """
    if old == new or old is None or new is None:
        return ""
    paths = changed_paths(msgspec.json.decode(old), msgspec.json.decode(new), "") or ["a number"]
    left = [path or "the response" for path in paths if stored or not path.endswith(TIMES)]
    more = [f"{len(left) - MOST_PATHS} more"] if len(left) > MOST_PATHS else []
    return " and ".join(filter(None, [", ".join(left[:MOST_PATHS]), *more]))


def differ(paths: str) -> str:
    """Return that *paths* differ, as a clause."""
    return f"{paths} {'differ' if ',' in paths or ' and ' in paths else 'differs'}"
