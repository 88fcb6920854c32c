"""Metrics in the text format of Prometheus."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_LINE = re.compile(r"^([a-z_]+){?([^}\n]*)}? ([0-9.e+-]+)$", re.MULTILINE)
_LABEL = re.compile(r'([a-z_]+)="([^"]*)"')


class Sample(NamedTuple):
    """A value of a metric, with its labels."""

    labels: dict[str, str]
    value: float


def samples(text: str, metric: str) -> Iterator[Sample]:
    """Yield the samples of *metric* in *text*."""
    at = text.find(f"\n# TYPE {metric} ")
    while (at := text.find(f"\n{metric}", at)) >= 0:  # only these lines: the API server has 20,000
        at += 1
        found = _LINE.match(text, at)
        if found and found[1] == metric:
            yield Sample(dict(_LABEL.findall(found[2])), float(found[3]))


def total(text: str, metric: str, **labels: str) -> float:
    """Return the sum of the samples of *metric* that have all *labels*."""
    return sum(each.value for each in samples(text, metric) if labels.items() <= each.labels.items())
