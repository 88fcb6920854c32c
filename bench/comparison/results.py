"""What was measured: figures of each server, and how they relate to this hook's in the same round."""

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

import msgspec

HOOK = "this hook"
"""The names of the servers, in results and tables."""

HTTP_SERVER = "http.server"
FASTAPI = "FastAPI"
GO = "Go"

CHANGED, UNCHANGED = "changed", "unchanged"
"""Whether each request is unique, or was sent before, to the byte."""


class Sample(NamedTuple):
    """A server in one round: CPU in microseconds per request, latencies in milliseconds."""

    cpu: float
    p50: float
    p99: float


class Ratio(msgspec.Struct, frozen=True):
    """The figure of this hook divided by a peer's: the median over the rounds, and the *least* and *most* of them."""

    median: float
    least: float
    most: float


class Figure(msgspec.Struct, frozen=True):
    """A server in one scenario, in medians over the rounds: CPU in microseconds per request, latencies in ms."""

    cpu: float
    p50: float
    p99: float
    cpu_ratio: Ratio
    p99_ratio: Ratio


class Scenario(msgspec.Struct, frozen=True):
    """Requests of a *size*, changed or unchanged, over so many *connections* at once."""

    size: str
    kind: str
    connections: int

    def __str__(self) -> str:
        """Return the text for a table."""
        return f"{self.size} {self.kind}, {self.connections} connection{'s' if self.connections > 1 else ''}"


class Measured(msgspec.Struct, frozen=True):
    """The figures of a scenario, by the name of the server."""

    scenario: Scenario
    figures: dict[str, Figure]


class Process(msgspec.Struct, frozen=True):
    """A server as a process: RSS after the load in MiB, start to first answer in milliseconds."""

    memory: float
    start: float


class Results(msgspec.Struct, frozen=True):
    """A run of the comparison."""

    machine: dict[str, str]
    rounds: int
    measured: list[Measured]
    processes: dict[str, Process]

    def figure(self, scenario: Scenario, name: str) -> Figure | None:
        """Return the figure of the server *name*, or None if it was not measured."""
        return next((each.figures.get(name) for each in self.measured if each.scenario == scenario), None)

    def encoded(self) -> bytes:
        """Return these results as JSON, for a file."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n"


def decoded(content: bytes) -> Results:
    """Return the results in a file."""
    return msgspec.json.decode(content, type=Results)


def figures(rounds: Sequence[dict[str, Sample]]) -> dict[str, Figure]:
    """Return the figures of a scenario from its *rounds*, each with a sample of every server."""
    return {name: _figure([each[name] for each in rounds], [each[HOOK] for each in rounds]) for name in rounds[0]}


def percentile(values: Sequence[float], share: float) -> float:
    """Return the least of *values* that at least this *share* of them does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -int(-len(ordered) * share // 1) - 1)]


def _figure(samples: list[Sample], hook: list[Sample]) -> Figure:
    cpu, p50, p99 = (round(median(values), 3) for values in zip(*samples, strict=True))
    return Figure(
        cpu=cpu,
        p50=p50,
        p99=p99,
        cpu_ratio=_ratio([mine.cpu / peer.cpu for mine, peer in zip(hook, samples, strict=True)]),
        p99_ratio=_ratio([mine.p99 / peer.p99 for mine, peer in zip(hook, samples, strict=True)]),
    )


def _ratio(ratios: list[float]) -> Ratio:
    return Ratio(*(round(value, 3) for value in (median(ratios), min(ratios), max(ratios))))
