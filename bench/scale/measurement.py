"""What an event took and used."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from bench.scale.activity import Activity
from bench.scale.usage import Cpu, api_requests, cpu_of, memory_of
from bench.scale.work import Work
from metahook.envtest.client import Client
from metahook.envtest.process import Process

QUIET = 4.0
"""Seconds without activity after which an event is over."""

_PATIENCE = 180.0
"""Seconds without activity after which an event whose result is not there has failed."""


@dataclass(frozen=True)
class Event:
    """An event that concerns *affected* MyResources; it changes *user_writes* itself.

    It is over once all of them are synced, if *counts_syncs*: not all operators tell.
    """

    name: str
    affected: int
    user_writes: int = 0
    counts_syncs: bool = True


@dataclass(frozen=True)
class Measurement:
    """An event: seconds until its result was there, and until nothing happened any more; what was used until then."""

    event: str
    affected: int
    """The number of MyResources that the event concerns."""
    seconds: float
    quiet_after: float
    cpu: dict[str, float]
    memory: dict[str, int]
    syncs: int
    customizes: int
    status_writes: int
    child_writes: int
    requests: int
    """Requests to the API server about MyResources and their children. Some change nothing, and are no writes."""
    related: int
    """Events of Pods and Services."""
    longest_queue: int

    @property
    def metacontrollers(self) -> float:
        """The CPU seconds of all Metacontrollers."""
        return sum(seconds for name, seconds in self.cpu.items() if name.startswith("metacontroller"))


@dataclass(frozen=True)
class _Before:
    """What was used before an event, and the time of its start."""

    start: float
    cpu: Cpu
    work: Work
    changes: Counter[str]
    requests: int
    related: int


@dataclass
class Meter:
    """Measures events in a cluster."""

    client: Client
    processes: Sequence[Process]
    activity: Activity

    def measure(self, event: Event, act: Callable[[], object], until: Callable[[], bool]) -> Measurement:
        """Run *act*, and wait until *until* holds, all syncs were made, and nothing happens any more."""
        before = self._before()
        act()
        self.activity.last = time.monotonic()
        return self._since(before, event, until)

    def measure_rest(self, event: Event, seconds: float) -> Measurement:
        """Measure so many *seconds* in which nobody changes anything."""
        before = self._before()
        time.sleep(seconds)
        return self._used(before, event, seconds)

    def measure_next(self, event: Event, until: Callable[[], bool], within: float) -> Measurement:
        """Measure what starts by itself *within* that many seconds."""
        following = before = self._before()
        end = before.start + within
        while self.activity.work == before.work and time.monotonic() < end:
            before = following  # it is older than the last look, which saw no work
            following = replace(before, start=time.monotonic(), cpu=cpu_of(self.processes))
            time.sleep(0.2)
            self.activity.look()
        return self._since(before, event, until)

    def wait_for_syncs(self, before: int, syncs: int) -> None:
        """Wait until *syncs* syncs were made since there were *before*, and nothing happens any more."""
        self._wait(time.monotonic(), lambda: self._syncs_since(before) >= syncs)

    def _before(self) -> _Before:
        requests = self._requests()
        self.activity.look()
        self.activity.peak = 0
        changes, related = self.activity.changes.copy(), self.activity.related
        return _Before(time.monotonic(), cpu_of(self.processes), self.activity.work, changes, requests, related)

    def _since(self, before: _Before, event: Event, until: Callable[[], bool]) -> Measurement:
        syncs = event.affected if event.counts_syncs else 0
        seconds = self._wait(before.start, lambda: until() and self._syncs_since(before.work.syncs) >= syncs)
        return self._used(before, event, seconds)

    def _used(self, before: _Before, event: Event, seconds: float) -> Measurement:
        work = before.work
        used = cpu_of(self.processes).since(before.cpu)
        now = self.activity.work
        changed = self.activity.changes - before.changes
        return Measurement(
            event=event.name,
            affected=event.affected,
            seconds=round(seconds, 1),
            quiet_after=round(max(seconds, self.activity.last - before.start), 1),
            cpu=used,
            memory=memory_of(self.processes),
            syncs=self._syncs_since(work.syncs),
            customizes=now.customizes - (work.customizes if now.customizes >= work.customizes else 0),
            status_writes=changed["MyResource"] - event.user_writes,
            child_writes=changed["Deployment"],
            requests=self._requests() - before.requests,
            related=self.activity.related - before.related,
            longest_queue=self.activity.peak,
        )

    def _syncs_since(self, before: int) -> int:
        """Return the syncs since there were *before*; a process that started since then counts from 0."""
        now = self.activity.work.syncs
        return now - before if now >= before else now

    def _wait(self, start: float, until: Callable[[], bool]) -> float:
        """Return the seconds from *start* until *until* holds, after nothing happened for QUIET seconds."""
        seconds = None
        while True:
            now = time.monotonic()
            if seconds is None and until():
                seconds = now - start
            if seconds is not None and now - max(self.activity.last, start) > QUIET:
                return seconds
            if now - max(self.activity.last, start) > _PATIENCE:
                message = f"not over, although nothing has happened for {_PATIENCE:.0f} s"
                raise TimeoutError(message)
            time.sleep(0.05)

    def _requests(self) -> int:
        return api_requests(self.client.http.get("/metrics").text)
