"""Moments: when time alone changes the answer, as no event will come then.

They are computed from what is observed at every sync, and never remembered: a timer that is lost, with Metacontroller's
process or otherwise, is set again by the next sync.
"""

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from metahook import MAX_RESYNC

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.]\d{1,9})?(Z|[+-]\d\d:\d\d)")


def moment(text: str | None) -> datetime | None:
    """Return the time in UTC that *text* is, as RFC 3339 has it, or None."""
    if not text or not _RFC3339.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def after(start: datetime, seconds: float) -> datetime | None:
    """Return the moment *seconds* after *start*, or None if no calendar has it."""
    try:
        return start + timedelta(seconds=seconds)
    except OverflowError:
        return None


def resync(moments: Iterable[datetime | None], now: datetime) -> int | None:
    """Return after how many seconds the next of *moments* has come, or None if none is to come.

    What is later than a hook may ask for is asked for again by then.
    """
    ahead = [(each - now).total_seconds() for each in moments if each and each > now]
    return min(MAX_RESYNC, math.ceil(min(ahead))) if ahead else None
