"""Series: counters and histograms that Prometheus collects.

They replace those of prometheus_client, which take 10 us per call: each of their series has a lock, and a histogram
compares all buckets. These have no lock: the caller must hold one.
"""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.utils import floatToGoString

LabelValues = tuple[str, ...]
"""In the order of the names of the labels."""


class Counter:
    """A number that only grows, for each of the values of its labels; without labels it begins at 0."""

    def __init__(self, name: str, text: str, label_names: tuple[str, ...]) -> None:
        self._described = (name, text)
        self._names = label_names
        self._values: dict[LabelValues, float] = {} if label_names else {(): 0}

    def add(self, *label_values: str, amount: float = 1) -> None:
        """Add *amount* to the series with *label_values*."""
        self._values[label_values] = self._values.get(label_values, 0) + amount

    def collect(self) -> Iterator[CounterMetricFamily]:
        """Yield all series, as Prometheus' client asks for them."""
        family = CounterMetricFamily(*self._described, labels=self._names)
        for label_values, value in self._values.items():
            family.add_metric(label_values, value)
        yield family


class Histogram:
    """How many amounts are up to each of *bounds*, for each of the values of its labels."""

    def __init__(self, name: str, text: str, label_names: tuple[str, ...], bounds: tuple[float, ...]) -> None:
        self._described = (name, text)
        self._names = label_names
        self._bounds = bounds
        self._shown = [*map(floatToGoString, bounds), "+Inf"]
        self._counts: dict[LabelValues, list[int]] = {}
        self._sums: dict[LabelValues, float] = {}

    def add(self, *label_values: str, amount: float) -> None:
        """Count *amount* in the series with *label_values*."""
        if label_values not in self._counts:
            self._counts[label_values] = [0] * len(self._shown)
            self._sums[label_values] = 0
        self._counts[label_values][bisect_left(self._bounds, amount)] += 1
        self._sums[label_values] += amount

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """Yield all series, as Prometheus' client asks for them."""
        family = HistogramMetricFamily(*self._described, labels=self._names)
        for label_values, counts in self._counts.items():
            buckets = list(zip(self._shown, accumulate(counts), strict=True))
            family.add_metric(label_values, buckets, self._sums[label_values])
        yield family
