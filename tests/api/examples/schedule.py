"""Examples of the rules of the schedule."""

from typing import Any

from tests.api.examples.case import Example
from tests.requests.builders import Json

DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


AWAKE: Json = {"overrideState": "Awake", "overrideUntil": "2999-12-31T23:59:59Z"}
"""Fields of a schedule that is awake whenever a test runs."""


def window(start: str = "19:00", end: str = "07:00", days: list[str] | None = None, **fields: Any) -> Json:
    """Return a window, every night by default."""
    return {"days": days or DAYS, "from": start, "to": end, **fields}


def schedule(*windows: Json, **fields: Any) -> Json:
    """Return the field of a spec with a schedule."""
    return {"schedule": {"sleep": [*windows] or [window()], **fields}}


EXAMPLES = [
    Example(
        path="spec.schedule.sleep[].days",
        says="must not name a day twice",
        good=[schedule(window(days=["Mon"])), schedule()],
        bad=[schedule(window(days=["Mon", "Tue", "Mon"]))],
    ),
    Example(
        path="spec.schedule.sleep[].from",
        says="must be a time from 00:00 to 23:59",
        good=[schedule(window(time)) for time in ("00:00", "09:59", "20:00", "23:59")],
        bad=[schedule(window(time)) for time in ("24:00", "9:00", "19.00", "19:60", "", "٠٩:00")],
    ),
    Example(
        path="spec.schedule.sleep[].to",
        says="must be a time from 00:00 to 24:00",
        good=[schedule(window(end=time)) for time in ("00:00", "24:00", "18:59")],
        bad=[schedule(window(end=time)) for time in ("24:01", "25:00", "7:00", "", "7 am")],
    ),
    Example(
        path="spec.schedule.sleep[]",
        says="from and to must differ",
        good=[schedule(window("00:00", "24:00", ["Mon"])), schedule(window("07:00", "07:01"))],
        bad=[schedule(window("07:00", "07:00", ["Mon"])), schedule(window("00:00", "00:00", ["Sat", "Sun"]))],
    ),
    Example(
        path="spec.schedule.sleep",
        says="windows must not overlap",
        good=[
            schedule(window(), window("07:00", "19:00", ["Sat", "Sun"])),
            schedule(window("19:00", "24:00"), window("00:00", "07:00", DAYS[:5]), window("07:00", "19:00", ["Sun"])),
            schedule(window(days=["Sun"]), window("07:00", "19:00", ["Mon"]), window("00:00", "24:00", ["Sat"])),
        ],
        bad=[
            schedule(window(), window()),
            schedule(window("19:00", "07:00", ["Sun"]), window("06:59", "08:00", ["Mon"])),
            schedule(window("06:59", "08:00", ["Mon"]), window("19:00", "07:00", ["Sun"])),
            schedule(window("10:00", "12:00", ["Mon", "Tue"]), window("11:00", "11:30", ["Tue"])),
            schedule(window("00:00", "24:00", ["Mon"]), window("23:59", "00:01", ["Mon"])),
            schedule(window("22:00", "08:00", ["Mon"]), window("23:00", "01:00", ["Mon"])),
        ],
    ),
    Example(
        path="spec.schedule.sleep",
        says="windows must leave time to be awake",
        good=[
            schedule(window(), window("07:00", "18:59")),
            schedule(window("00:00", "24:00", DAYS[1:])),
            schedule(window(), window("07:00", "19:00", DAYS[1:])),
        ],
        bad=[
            schedule(window(), window("07:00", "19:00")),
            schedule(window("00:00", "24:00")),
            schedule(
                window("00:00", "24:00", DAYS[1:]), window("00:00", "19:00", ["Mon"]), window("19:00", "00:00", ["Mon"])
            ),
        ],
    ),
    Example(
        path="spec.schedule.except[]",
        says="must be a date such as 2026-12-24",
        good=[schedule(**{"except": dates}) for dates in (["2026-12-24"], ["2026-12-24", "2028-02-29"])],
        bad=[schedule(**{"except": [date]}) for date in ("24.12.2026", "2026-13-01", "2026-12-32", "1999-01-01", "")],
    ),
    Example(
        path="spec.schedule.overrideUntil",
        says="must be a date and time with a time zone offset",
        good=[
            schedule(overrideUntil=time)
            for time in ("2026-01-31T18:00:00Z", "2026-01-31T18:00:00.5+01:00", "2999-12-31T23:59:59-23:59")
        ],
        bad=[schedule(overrideUntil=time) for time in ("1999-01-31T18:00:00Z", "9999-12-31T23:59:59Z", "18:00", "")],
    ),
    Example(
        path="spec.schedule",
        says="overrideState requires overrideUntil",
        good=[schedule(overrideState="Asleep", overrideUntil="2026-01-31T18:00:00Z")],
        bad=[schedule(overrideState="Asleep")],
    ),
]
