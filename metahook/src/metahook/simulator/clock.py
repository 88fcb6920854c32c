"""Virtual time, and what is planned in it."""

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

START = datetime(2026, 1, 31, 12, 0, 0, tzinfo=UTC)


@dataclass(eq=False)
class Plan:
    """Something that will happen, unless it is cancelled; ``idle`` tells that it only looks whether all is well."""

    at: float
    action: Callable[[], object]
    idle: bool
    cancelled: bool = False


class Clock:
    """Seconds since the start, and a plan. Time moves only from one planned action to the next."""

    def __init__(self, start: datetime = START) -> None:
        self.now = 0.0
        self.pace: Callable[[float], object] = lambda _: None
        """Called with the seconds that are about to pass: whoever watches may want to see them pass."""
        self._start = start
        self._plans: list[tuple[float, int, Plan]] = []
        self._numbers = itertools.count()

    def time(self) -> datetime:
        """Return the time of day."""
        return self._start + timedelta(seconds=self.now)

    def stamp(self) -> str:
        """Return the time as Kubernetes writes it, in whole seconds."""
        return self.time().strftime("%Y-%m-%dT%H:%M:%SZ")

    def since(self, stamp: str) -> float:
        """Return how many seconds ago *stamp* was."""
        return (self.time() - datetime.fromisoformat(stamp)).total_seconds()

    def after(self, seconds: float, action: Callable[[], object], *, idle: bool = False) -> Plan:
        """Plan *action*; plans for the same moment happen in the order in which they were made."""
        return self.at(self.now + seconds, action, idle=idle)

    def at(self, moment: float, action: Callable[[], object], *, idle: bool = False) -> Plan:
        """Plan *action* for a *moment*, or for now if that is past."""
        plan = Plan(max(self.now, moment), action, idle)
        heapq.heappush(self._plans, (plan.at, next(self._numbers), plan))
        return plan

    @property
    def next(self) -> Plan | None:
        """What happens next."""
        while self._plans and self._plans[0][2].cancelled:
            heapq.heappop(self._plans)
        return self._plans[0][2] if self._plans else None

    @property
    def busy(self) -> bool:
        """Whether anything is planned that is more than a look whether all is well."""
        return any(not plan.idle and not plan.cancelled for _, _, plan in self._plans)

    def step(self) -> None:
        """Let the next thing happen."""
        plan = self.next
        if plan is not None:
            heapq.heappop(self._plans)
            self.sleep(plan.at)
            plan.action()

    def sleep(self, until: float) -> None:
        """Let time pass in which nothing happens."""
        if until > self.now:
            self.pace(until - self.now)
            self.now = until
