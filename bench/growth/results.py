"""The results of this part of ``make bench``, as a table and as sentences about the goals."""

from dataclasses import dataclass

from bench.growth.cost import MAX_BEND, MAX_SLOPE, Growth
from bench.growth.memory import MAX_GROWTH, Memory
from bench.results_file import ResultsFile

KIB = 1024


@dataclass(frozen=True)
class Results:
    """The growths of the parts of a request; and the memory over many requests."""

    growths: list[Growth]
    memory: Memory

    @property
    def worst(self) -> Growth:
        """The growth with the steepest slope."""
        return max(self.growths, key=lambda growth: growth.slope)

    @property
    def is_within(self) -> bool:
        """Whether all goals are met."""
        return self.memory.is_within and all(growth.is_within for growth in self.growths)


FILE = ResultsFile("growth.json", Results)

HEAD = """\
| what grows | up to | size of the request | CPU of a sync | slope | bend |
|---|---|---|---|---|---|
"""


def table(results: Results) -> str:
    """Return the table of the growths, the steepest first."""
    return HEAD + "".join(map(row, sorted(results.growths, key=lambda growth: growth.slope, reverse=True)))


def row(growth: Growth) -> str:
    """Return the row of a growth."""
    first, last = growth.points[0], growth.points[-1]
    size = f"{first.size / KIB:,.0f} to {last.size / KIB:,.0f} KiB"
    cpu = f"{_milliseconds(first.sync)} to {_milliseconds(last.sync)} ms"
    return f"| {growth.part} | {last.count:,} | {size} | {cpu} | {growth.slope:.2f} | {_percent(growth.bend)} |\n"


def _milliseconds(microseconds: float) -> str:
    return f"{microseconds / 1000:.2g}" if microseconds < 10_000 else f"{microseconds / 1000:.0f}"  # noqa: PLR2004 - two digits


def _percent(bend: float) -> str:
    """Return *bend*. Why at least 0: a curve that bends down is noise, or costs less and less."""
    return f"{100 * max(bend, 0):.0f} %"


def goals(results: Results) -> list[str]:
    """Return a sentence for each goal, with the worst figure, and whether it is within the goal."""
    steepest, most_bent = results.worst, max(results.growths, key=lambda growth: growth.bend)
    slope, bend, memory = steepest.slope, most_bent.bend, results.memory
    grown = f"memory over {memory.requests:,} requests that all differ: {memory.growth:+.1f} MiB after the warm-up"
    failed = f"; {memory.failed:,} requests failed" if memory.failed else ""
    return [
        f"steepest: {steepest.part}, {slope:.2f} x json.loads, {_within(slope <= MAX_SLOPE)} {MAX_SLOPE}",
        f"least linear: {most_bent.part}, {_percent(bend)}, {_within(bend <= MAX_BEND)} {_percent(MAX_BEND)}",
        f"{grown}{failed}, {_within(memory.is_within)} {MAX_GROWTH:g} MiB",
    ]


def _within(is_within: bool) -> str:  # noqa: FBT001 - its only argument
    return "within" if is_within else "NOT within"
