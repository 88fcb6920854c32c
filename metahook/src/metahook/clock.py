"""The clock: the only place that reads the time. All other code takes it as an argument."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(tz=UTC)  # noqa: TID251 - the one place that reads it
