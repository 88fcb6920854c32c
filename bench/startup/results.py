"""The results of this part of ``make bench``, as a table and as sentences about the goals."""

from dataclasses import dataclass

from bench.results_file import ResultsFile
from bench.startup.imports import Import
from bench.startup.starts import Comparison, Start

MAX_WALL = 500
"""Milliseconds."""

MAX_MEMORY = 64
"""MiB."""


@dataclass(frozen=True)
class Results:
    """How ``serve`` starts, and its slowest imports."""

    starts: Comparison
    imports: list[Import]

    @property
    def is_within(self) -> bool:
        """Whether all goals are met."""
        return self.starts.serve.wall <= MAX_WALL and self.starts.serve.memory <= MAX_MEMORY


FILE = ResultsFile("startup.json", Results)


def table(results: Results) -> str:
    """Return the table of the starts."""
    rows = {
        "`serve`, until it is ready": results.starts.serve,
        "Python with FastAPI and uvicorn alone": results.starts.base,
    }
    head = "| process | time to start | CPU | memory (RSS) |\n|---|---|---|---|\n"
    return head + "".join(f"| {name} | {_shown(start)} |\n" for name, start in rows.items())


def _shown(start: Start) -> str:
    return f"{start.wall:.0f} ms | {start.cpu:.0f} ms | {start.memory:.0f} MiB"


def imports_table(results: Results) -> str:
    """Return the table of the slowest imports."""
    rows = "".join(f"| `{each.module}` | {each.own:.0f} ms |\n" for each in results.imports)
    return f"| module | own time of its import |\n|---|---|\n{rows}"


def goals(results: Results) -> list[str]:
    """Return a sentence for each goal, and the ratio that other machines can compare."""
    wall, memory = results.starts.serve.wall, results.starts.serve.memory
    return [
        f"from exec to ready: {wall:.0f} ms, {_within(wall <= MAX_WALL)} {MAX_WALL} ms",
        f"memory when idle: {memory:.0f} MiB, {_within(memory <= MAX_MEMORY)} {MAX_MEMORY} MiB",
        f"CPU to start: {results.starts.ratio:.2f} x that of the import of FastAPI and uvicorn",
    ]


def _within(is_within: bool) -> str:  # noqa: FBT001 - its only argument
    return "within" if is_within else "NOT within"
