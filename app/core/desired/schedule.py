"""What a schedule asks for at a time, and when that changes next.

The clock of a schedule never goes back. Where the clocks of its time zone are set back, it stands still until they show
a later time than ever before; where they are set forward, so is it. An edge is the first moment at which it shows the
edge's time or a later one. So no window ends before it starts, and windows stay in their order.
"""

from bisect import bisect_left
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from itertools import chain, count
from typing import Literal, NamedTuple

from app.api.scaling import DAYS, Schedule, time_zone

State = Literal["Awake", "Asleep"]


class ScheduleState(NamedTuple):
    """What a schedule asks for: as many ``replicas`` while asleep, None while awake; until the ``next_transition``."""

    replicas: int | None
    next_transition: datetime

    @property
    def name(self) -> State:
        """Its name in ``status.schedule``."""
        return "Awake" if self.replicas is None else "Asleep"


class _Sleep(NamedTuple):
    """A window on one of its days."""

    start: datetime
    end: datetime
    replicas: int


def schedule_state(schedule: Schedule, now: datetime) -> ScheduleState:
    """Return what the valid *schedule* asks for; the next transition has the offset of its time zone."""
    zone = time_zone(schedule.time_zone) or UTC
    until = datetime.fromisoformat(schedule.override_until) if schedule.override_until else now
    sleeps = _sleeps(schedule, zone, max(now, until))
    if now < until:
        is_asleep = schedule.override_state == "Asleep"
        replicas = min(window.replicas for window in schedule.sleep) if is_asleep else None
        transition = _next_transition(replicas, until, sleeps)
    else:
        sleep = next(sleeps)
        replicas = sleep.replicas if sleep.start <= now else None
        transition = _next_transition(replicas, now, chain([sleep], sleeps))
    # With a fixed offset: Python takes no time that the clocks of a zone show twice for equal to one in UTC.
    offset = transition.astimezone(zone).utcoffset() or timedelta()
    return ScheduleState(replicas, transition.astimezone(timezone(offset)))


def _next_transition(replicas: int | None, moment: datetime, sleeps: Iterator[_Sleep]) -> datetime:
    """Return the first time, at *moment* or later, at which *sleeps* ask for something else than *replicas*."""
    for sleep in sleeps:
        is_awake_before = moment < sleep.start
        if is_awake_before and replicas is not None:
            break
        moment = max(moment, sleep.start)
        if sleep.replicas != replicas:
            break
        moment = sleep.end
    return moment


def _sleeps(schedule: Schedule, zone: tzinfo, after: datetime) -> Iterator[_Sleep]:
    """Yield the sleeps that end *after* then, in their order; there is always another one."""
    windows = sorted((*window.minutes, window.days, window.replicas) for window in schedule.sleep)
    excepted = {date.fromisoformat(text) for text in schedule.except_ or ()}
    yesterday = after.astimezone(zone).toordinal() - 1  # its windows can end today
    for day in map(date.fromordinal, count(yesterday)):
        if day in excepted:
            continue
        for first_minute, last_minute, days, replicas in windows:
            if DAYS[day.weekday()] in days:
                start, end = (_when(day, minutes, zone) for minutes in (first_minute, last_minute))
                if max(start, after) < end:  # a window that the clocks skip is empty
                    yield _Sleep(start, end, replicas)


def _when(day: date, minutes: int, zone: tzinfo) -> datetime:
    """Return when the clocks of *zone* first show the time *minutes* after the beginning of *day*, or a later one."""
    local = datetime(day.year, day.month, day.day, tzinfo=zone) + timedelta(minutes=minutes)
    moment, before = local.astimezone(UTC), local.replace(fold=1).astimezone(UTC)
    if before >= moment:  # later only if the clocks show the time twice
        return moment

    # The clocks skip the time: the transition is between these two.
    def shown(second: int) -> datetime:
        return (before + timedelta(seconds=second)).astimezone(zone).replace(tzinfo=None)

    seconds = range(int((moment - before).total_seconds()))
    return before + timedelta(seconds=bisect_left(seconds, local.replace(tzinfo=None), key=shown))
