"""The clock: the one place where the time is read. Everybody else is told."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(tz=UTC)  # noqa: TID251 - here it is read
