"""Timers: when the response changes without an event.

Each sync computes them from what is observed and stores nothing: the next sync sets a lost timer again.
"""

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from metahook import MAX_RESYNC

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.]\d{1,9})?(Z|[+-]\d\d:\d\d)")
_SECONDS = len("2026-01-01T00:00:00")


@lru_cache(maxsize=1024)  # the same few times come back in each sync of a parent
def parse_time(text: str | None) -> datetime | None:
    """Return *text*, a time in RFC 3339 format, in UTC; None if it is not one."""
    if not text or not _RFC3339.fullmatch(text):
        return None
    try:
        time = datetime.fromisoformat(text)
        return time if time.tzinfo is UTC else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def format_time(time: datetime) -> str:
    """Return *time* in RFC 3339 format, in UTC and whole seconds."""
    return f"{time.astimezone(UTC).isoformat()[:_SECONDS]}Z"


def after(start: datetime, seconds: float) -> datetime | None:
    """Return the time *seconds* after *start*, or None if it is out of range."""
    try:
        return start + timedelta(seconds=seconds)
    except OverflowError:
        return None


def resync(timers: Iterable[datetime | None], now: datetime) -> int | None:
    """Return the seconds until the next of *timers*, or None if all have passed; at most MAX_RESYNC."""
    ahead = [(timer - now).total_seconds() for timer in timers if timer and timer > now]
    return min(MAX_RESYNC, math.ceil(min(ahead))) if ahead else None
