"""The same job by this operator and by its peers, one after the other on one control plane.

The job is what all of them can do: a Deployment with an image and a memory limit for each MyResource. Nothing remains
of an operator when the next one begins.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.scale.cluster import OPTIONS, Plane, plane
from bench.scale.events import OTHER_IMAGE, PLAIN
from bench.scale.measurement import Event, Measurement, Meter
from bench.scale.operators import PEER, Operator, operators
from bench.scale.requests import Requests
from bench.scale.singles import Singles
from bench.scale.usage import cpu_of
from bench.scale.work import Work
from metahook.envtest.binaries import Binaries
from metahook.envtest.control_plane import ControlPlane
from tests.e2e.control_plane import METACONTROLLER, USERS

SINGLES, EDITS = 30, 10
BUSY = 0.03
"""CPU seconds between two looks, twice a second, from which on an operator is not at rest."""


@dataclass(frozen=True)
class Compared:
    """An event with an operator: what it used, and its requests by verb.

    *times*: what was timed and the seconds of each time, if some follow one another.
    """

    operator: str
    processes: tuple[str, ...]
    """The names of those that the operator consists of."""
    measured: Measurement
    verbs: Counter[str]
    times: Mapping[str, Sequence[float]] = field(default_factory=dict)


def compare(binaries: Binaries, folder: Path, size: int, rest: float, *, backwards: bool) -> Iterator[Compared]:
    """Yield each event with each operator, with *size* MyResources and *rest* seconds of rest.

    *backwards*: the last operator is the first one.
    """
    requests = Requests(folder, (METACONTROLLER, PEER))
    users = {**USERS, PEER: ("system:serviceaccounts", "system:serviceaccounts:peers")}
    control_plane = ControlPlane(binaries, folder, users, (*OPTIONS, *requests.options))
    with plane(control_plane, binaries, size) as running:
        singles = Singles(running.client)
        try:
            for watch in singles.watches:
                watch.start()
            in_order = list(operators(binaries, folder, control_plane))
            for operator in reversed(in_order) if backwards else in_order:
                yield from _Run(running, singles, requests, operator).events(rest)
        finally:
            for watch in singles.watches:
                watch.stopping.set()


class _Run:
    """The events of one operator, from its installation until everything is deleted."""

    def __init__(self, running: Plane, singles: Singles, requests: Requests, operator: Operator) -> None:
        self._running = running
        self._singles = singles
        self._requests = requests
        self._operator = operator
        self._cpu = 0.0
        self._meter: Meter = running.meter(operator.processes)

    def events(self, rest: float) -> Iterator[Compared]:
        """Yield the events; remove everything in any case."""
        client, parents, operator = self._running.client, self._running.parents, self._operator
        size = len(parents.names)
        try:
            operator.install(client)
            self._running.activity.observe(self._work)
            self._measure(_event("the first is created", 1), lambda: parents.create_first(PLAIN), parents.are_ready)
            created = _event("all are created", size)
            yield self._measure(created, lambda: parents.create(PLAIN), parents.are_ready)
            parents.mark()
            changed = _event("the image of all changes", size, user_writes=size)
            yield self._measure(changed, lambda: parents.change_all(OTHER_IMAGE), parents.are_ready_again)
            yield self._compared(lambda: self._meter.measure_rest(_event(f"{rest:.0f} s of rest", size), rest))
            operator.stop()
            self._cpu = 0.0
            restarted = self._measure(_event("the operator restarts", size), operator.start, parents.are_ready)
            quiet = replace(restarted.measured, seconds=restarted.measured.quiet_after)
            yield replace(restarted, measured=quiet)
            yield self._created_singly()
            yield self._edited()
            parents.delete()
            operator.remove()
        except TimeoutError as reason:
            logs = "".join(f"\n{process.name}: {process.text()[-2000:]}" for process in operator.processes)
            message = f"{operator.name}: {reason}{logs}"
            raise TimeoutError(message) from reason
        finally:
            for process in operator.processes:
                process.stop()

    def _created_singly(self) -> Compared:
        """Create MyResources one after the other."""
        times: list[tuple[list[float], list[float]]] = []
        event = _event(f"{SINGLES} are created, one by one", SINGLES)
        compared = self._measure(event, lambda: times.append(self._singles.create(SINGLES)), lambda: True)
        to_deployment, to_ready = times[0]
        return replace(compared, times={"to the Deployment": to_deployment, "from available to Ready": to_ready})

    def _edited(self) -> Compared:
        """Edit Deployments by hand, one after the other."""
        times: list[float] = []
        event = _event(f"{EDITS} Deployments are edited by hand", EDITS)
        compared = self._measure(event, lambda: times.extend(self._singles.edit(EDITS)), lambda: True)
        return replace(compared, times={"until it is as before": times})

    def _measure(self, event: Event, act: Callable[[], object], until: Callable[[], bool]) -> Compared:
        return self._compared(lambda: self._meter.measure(event, act, until))

    def _compared(self, measure: Callable[[], Measurement]) -> Compared:
        before = self._requests.verbs()
        measured = measure()
        names = tuple(process.name for process in self._operator.processes)
        return Compared(self._operator.name, names, measured, self._requests.verbs() - before)

    def _work(self) -> Work:
        """Return the work of the operator, which is busy if it needs CPU."""
        before, size = self._cpu, self._requests.size()
        with suppress(OSError):  # it is about to stop
            self._cpu = sum(cpu_of(self._operator.processes).seconds.values())
        # As a queue of one: an operator that needs CPU has something left to do.
        return Work(depth=int(self._cpu - before > BUSY), requests=size)


def _event(name: str, affected: int, user_writes: int = 0) -> Event:
    return Event(name, affected, user_writes, counts_syncs=False)
