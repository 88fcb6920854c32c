"""What a sync costs as its request grows, relative to parsing the request with the standard library.

All figures are CPU times of one run, in process, so their ratios hold on any machine.
"""

import gc
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import linear_regression

from bench.growth.requests import Part
from tests.build import NOW

MAX_SLOPE = 1.5
"""CPU time of a sync for what is added to a request, relative to parsing that."""

MAX_BEND = 0.1
"""How far half of the things is below the straight line from none to all, relative to all: 0.25 for a square."""

STEPS = 4
ROUNDS = 9

_LEAST = 0.004
"""Seconds that one measurement takes at least: calls are repeated for so long."""


@dataclass(frozen=True)
class Point:
    """A request with *count* things in *size* bytes: microseconds of a *sync*, and of parsing it as *json*."""

    count: int
    size: int
    sync: float
    json: float


@dataclass(frozen=True)
class Growth:
    """How a sync grows with the *part* of a request."""

    part: str
    points: list[Point]

    @property
    def slope(self) -> float:
        """CPU time that a sync adds for each that parsing adds: the least squares line through the points."""
        return linear_regression([point.json for point in self.points], [point.sync for point in self.points]).slope

    @property
    def bend(self) -> float:
        """How far the point in the middle is below the straight line from the first to the last, relative to that."""
        first, middle, last = (self.points[at].sync for at in (0, STEPS // 2, STEPS))
        return ((first + last) / 2 - middle) / last

    @property
    def is_within(self) -> bool:
        """Whether the goals are met."""
        return self.slope <= MAX_SLOPE and self.bend <= MAX_BEND


def growth(part: Part) -> Growth:
    """Measure *part*. Each figure is the least of some rounds, as other work on the machine only adds to it."""
    counts = [part.most * step // STEPS for step in range(STEPS + 1)]
    bodies = [part.make(count) for count in counts]
    with _heap_aside():
        rounds = [[_costs(part, body) for body in bodies] for _ in range(ROUNDS)]
    least = [tuple(map(min, zip(*column, strict=True))) for column in zip(*rounds, strict=True)]
    points = zip(counts, bodies, least, strict=True)
    return Growth(part.name, [Point(count, len(body), sync, parse) for count, body, (sync, parse) in points])


def _costs(part: Part, body: bytes) -> tuple[float, float]:
    """Return the microseconds of a sync of *body*, and of parsing it."""
    return _microseconds(lambda: part.controller.answer_sync(body, NOW)), _microseconds(lambda: json.loads(body))


def _microseconds(call: Callable[[], object]) -> float:
    """Return the microseconds of CPU that a *call* takes."""
    calls, start = 0, time.process_time()
    while (taken := time.process_time() - start) < _LEAST:
        call()
        calls += 1
    return taken / calls * 1e6


@contextmanager
def _heap_aside() -> Iterator[None]:
    """Keep the garbage collector from what exists: that is the benchmark's, which a served hook has not."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
