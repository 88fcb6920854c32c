"""Times that users write: in options, and in recordings."""

from datetime import UTC, datetime


def utc_time(text: str) -> datetime | None:
    """Return the time *text* in UTC; None if it is not a time with a time zone, or is out of range in UTC."""
    try:
        time = datetime.fromisoformat(text)
        return time.astimezone(UTC) if time.tzinfo else None
    except (ValueError, OverflowError):
        return None
