"""The number of Pods: how an autoscaler sets it, and when a schedule lowers it."""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import Field

from app.api.model import Model, Omitted, Rule
from app.api.scalars import format_rule, matches

Percentage = Annotated[int, Field(ge=1, le=10000)]


class ScalingPolicy(Model):
    """How much may change in a period."""

    type: Literal["Pods", "Percent"]
    """Whether value is a number of Pods, or a percentage of them."""
    value: Annotated[int, Field(ge=1, le=100000)]
    """The most that changes in a period."""
    period_seconds: Annotated[int, Field(ge=1, le=1800)]
    """Seconds of a period."""


class ScalingRules(Model):
    """How fast the number of Pods changes in one direction."""

    stabilization_window_seconds: Annotated[int, Field(ge=0, le=3600)] | None = None
    """Seconds in which the safest of the last recommendations counts; default 0 for scaleUp and 300 for scaleDown."""
    policies: Annotated[list[ScalingPolicy], Field(max_length=8), Omitted] | None = None
    """Limits of a change. Defaults are those of Kubernetes."""
    select_policy: Literal["Max", "Min", "Disabled"] | None = None
    """Max (default) takes the policy that allows most, Min the one that allows least. Disabled allows no change."""


class Behavior(Model):
    """How fast the number of Pods changes."""

    scale_up: Annotated[ScalingRules, Omitted] | None = None
    """Rules for more Pods."""
    scale_down: Annotated[ScalingRules, Omitted] | None = None
    """Rules for fewer Pods."""


class Autoscaling(Model):
    """The bounds of the number of Pods, and the use of resources for which it is chosen."""

    min_replicas: Annotated[int, Field(ge=1, le=1000)] = 1
    """Least number of Pods; default 1."""
    max_replicas: Annotated[int, Field(ge=1, le=1000)]
    """Greatest number of Pods."""
    target_cpu: Percentage | None = Field(default=None, alias="targetCPUUtilizationPercentage")
    """Average use of CPU by the application to aim for, in percent of its CPU request."""
    target_memory: Percentage | None = Field(default=None, alias="targetMemoryUtilizationPercentage")
    """Average use of memory by the application to aim for, in percent of its memory request."""
    behavior: Annotated[Behavior, Omitted] | None = None
    """How fast the number of Pods changes. Defaults are those of Kubernetes."""

    rules = (
        Rule(
            "minReplicas must not be greater than maxReplicas",
            lambda autoscaling: autoscaling.min_replicas <= autoscaling.max_replicas,
            cel="self.minReplicas <= self.maxReplicas",
        ),
        Rule(
            "targetCPUUtilizationPercentage, targetMemoryUtilizationPercentage or both must be set",
            lambda autoscaling: bool(autoscaling.target_cpu or autoscaling.target_memory),
            cel="has(self.targetCPUUtilizationPercentage) || has(self.targetMemoryUtilizationPercentage)",
        ),
    )


def time_zone(name: str) -> ZoneInfo | None:
    """Return the zone called *name* in the IANA database, such as ``Europe/Berlin``; None if there is none."""
    return _load(name) if name in _names() else None


@cache
def _names() -> frozenset[str]:
    return frozenset(files("tzdata").joinpath("zones").read_text(encoding="utf-8").split())


@cache
def _load(name: str) -> ZoneInfo:
    """Return the zone; all of them take 3 MB of memory."""
    with files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


Day = Literal["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

DAYS: tuple[Day, ...] = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

_DAY = 24 * 60
_WEEK = 7 * _DAY

_CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9]"
_DATE = "2[0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_TIME = f"{_DATE}T{_CLOCK}:[0-5][0-9]([.][0-9]{{1,6}})?(Z|[+-]{_CLOCK})"


Date = Annotated[str, Field(max_length=10), format_rule(_DATE, "must be a date such as 2026-12-24")]
Moment = Annotated[
    str,
    Field(max_length=32),
    format_rule(_TIME, "must be a date and time with a time zone offset, such as 2026-01-31T18:00:00Z"),
]

_NEXT_DAY = "{" + ", ".join(f"'{day}': '{following}'" for day, following in pairwise((*DAYS, DAYS[0]))) + "}"


class SleepWindow(Model):
    """A time of the day during which the application sleeps."""

    days: Annotated[
        list[Day],
        Field(min_length=1, max_length=7),
        Rule(
            "must not name a day twice",
            lambda days: len(set(days)) == len(days),
            cel="self.all(d, self.exists_one(e, e == d))",
        ),
    ]
    """Days of the week on which the window starts: Mon, Tue, Wed, Thu, Fri, Sat, Sun."""
    from_: Annotated[
        str,
        Field(alias="from", max_length=5),
        format_rule(_CLOCK, "must be a time from 00:00 to 23:59, such as 19:00"),
    ]
    """Time of the day at which the window starts, such as 19:00."""
    to: Annotated[
        str,
        Field(max_length=5),
        Rule(
            "must be a time from 00:00 to 24:00, such as 07:00",
            lambda time: time == "24:00" or matches(_CLOCK, time),
            cel=f"self.matches('^{_CLOCK}$') || self == '24:00'",
        ),
    ]
    """Time at which the window ends, such as 07:00; on the next day if it is earlier than from. Can be 24:00."""
    replicas: Annotated[int, Field(ge=0, le=1000)] = 0
    """Number of Pods during the window; default 0."""

    rules = (
        Rule(
            "from and to must differ; a whole day is from 00:00 to 24:00",
            lambda window: window.from_ != window.to,
            cel="self.from != self.to",
        ),
    )

    @property
    def minutes(self) -> tuple[int, int]:
        """When the window starts and ends, in minutes since the beginning of the day on which it starts."""
        start, end = _minutes(self.from_), _minutes(self.to)
        return start, end if end > start else end + _DAY


def _minutes(clock: str) -> int:
    return 60 * int(clock[:2]) + int(clock[3:])


def _week(sleep: list[SleepWindow]) -> list[tuple[int, int]]:
    """Return when each window starts and ends, in minutes since the beginning of Monday, in their order."""
    begins = [(DAYS.index(day) * _DAY, window.minutes) for window in sleep for day in window.days]
    return sorted((begin + start, begin + end) for begin, (start, end) in begins)


def _are_apart(sleep: list[SleepWindow]) -> bool:
    week = _week(sleep)
    following = [*week[1:], (week[0][0] + _WEEK, week[0][1] + _WEEK)]
    return all(end <= next_start for (_, end), (next_start, _) in zip(week, following, strict=True))


def _do_end(sleep: list[SleepWindow]) -> bool:
    return sum(end - start for start, end in _week(sleep)) < _WEEK


_END_OF_DAY = "({0}.to > {0}.from ? {0}.to : '24:00')"
"""CEL for when a window ends on the day on which it starts. Times of the day are in the order of their texts."""

SleepWindows = Annotated[
    list[SleepWindow],
    Field(min_length=1, max_length=16),
    Rule(
        "windows must not overlap; one that crosses midnight counts on the next day, too",
        _are_apart,
        cel="self.all(a, self.filter(b, "
        f"a.from < {_END_OF_DAY.format('b')} && b.from < {_END_OF_DAY.format('a')} && a.days.exists(d, d in b.days) "
        f"|| a.to < a.from && b.from < a.to && a.days.exists(d, {_NEXT_DAY}[d] in b.days)).size() <= 1)",
    ),
    Rule(
        "windows must leave time to be awake; to run fewer Pods all week, set spec.replicas",
        _do_end,
        # Windows that do not overlap cover the week if each of them ends where one starts.
        cel="!self.all(a, a.days.all(d, self.exists(b, "
        "a.to == '24:00' ? b.from == '00:00' && "
        f"{_NEXT_DAY}[d] in b.days "
        f": b.from == a.to && (a.to > a.from ? d : {_NEXT_DAY}[d]) in b.days)))",
    ),
]


def _is_valid(parse: Callable[[str], object], text: str | None) -> bool:
    try:
        return text is None or bool(parse(text))
    except ValueError:
        return False


class Schedule(Model):
    """When the application sleeps, with fewer Pods or none."""

    time_zone: Annotated[str, Field(pattern="^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*$", max_length=64)] = "UTC"
    """Time zone of the windows and dates, by its name in the IANA database, such as Europe/Berlin; default UTC."""
    sleep: SleepWindows
    """Windows during which the application sleeps."""
    except_: Annotated[list[Date], Field(max_length=64)] | None = Field(default=None, alias="except")
    """Dates on which no window starts, such as 2026-12-24."""
    override_until: Moment | None = None
    """Date and time until which overrideState applies instead of the windows, such as 2026-01-31T18:00:00Z."""
    override_state: Literal["Awake", "Asleep"] | None = None
    """Awake or Asleep, until overrideUntil; default Awake. Asleep uses the replicas of the window with the fewest."""

    rules = (
        Rule(
            "overrideState requires overrideUntil",
            lambda schedule: schedule.override_state is None or schedule.override_until is not None,
            cel="!has(self.overrideState) || has(self.overrideUntil)",
        ),
        # CEL knows no list of time zones, and the calendar only of times that are valid.
        Rule(
            "timeZone must be the name of a time zone in the IANA database, such as Europe/Berlin or UTC",
            lambda schedule: time_zone(schedule.time_zone) is not None,
        ),
        Rule(
            "each date in except must be in the calendar",
            lambda schedule: all(_is_valid(datetime.fromisoformat, date) for date in schedule.except_ or []),
        ),
        Rule(
            "overrideUntil must be in the calendar",
            lambda schedule: _is_valid(datetime.fromisoformat, schedule.override_until),
        ),
    )
