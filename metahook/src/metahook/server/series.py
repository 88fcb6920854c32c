"""Series: numbers that change at each call, and that Prometheus gets when it reads them.

Why not its client's own: they take 10 us a call, as each series has a lock and each histogram looks at its buckets.
Whoever changes numbers here has a lock.
"""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.utils import floatToGoString

Labels = tuple[str, ...]
"""The values of labels, in the order of their names."""


class Counter:
    """A number that only grows, for each of the values of its *labels*; without labels it begins at 0."""

    def __init__(self, name: str, text: str, labels: Labels) -> None:
        self._described = (name, text)
        self._names = labels
        self._values: dict[Labels, float] = {} if labels else {(): 0}

    def add(self, *labels: str, amount: float = 1) -> None:
        """Add *amount* to the series with *labels*."""
        self._values[labels] = self._values.get(labels, 0) + amount

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yield all series, as Prometheus' client asks for them."""
        family = CounterMetricFamily(*self._described, labels=self._names)
        for labels, value in self._values.items():
            family.add_metric(labels, value)
        yield family


class Histogram:
    """How many amounts are up to each of *bounds*, for each of the values of its *labels*."""

    def __init__(self, name: str, text: str, labels: Labels, bounds: tuple[float, ...]) -> None:
        self._described = (name, text)
        self._names = labels
        self._bounds = bounds
        self._shown = [*map(floatToGoString, bounds), "+Inf"]
        self._counts: dict[Labels, list[int]] = {}
        self._sums: dict[Labels, float] = {}

    def add(self, *labels: str, amount: float) -> None:
        """Count *amount* in the series with *labels*."""
        if labels not in self._counts:
            self._counts[labels] = [0] * len(self._shown)
            self._sums[labels] = 0
        self._counts[labels][bisect_left(self._bounds, amount)] += 1
        self._sums[labels] += amount

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """Yield all series, as Prometheus' client asks for them."""
        family = HistogramMetricFamily(*self._described, labels=self._names)
        for labels, counts in self._counts.items():
            buckets = list(zip(self._shown, accumulate(counts), strict=True))
            family.add_metric(labels, buckets, self._sums[labels])
        yield family
