"""The figures of a run: a table with a row for each measured value and a column for each mode."""

import re
from collections.abc import Iterable

import pytest

from metahook.simulator.metacontroller.settings import MODES

Rows = dict[str, dict[str, str]]
"""The values, by row and mode."""

SECONDS = "seconds, if one test ran after the other"


class Figures:
    """The values so far. *rows* contains plain types only, so that a process can send it to another."""

    def __init__(self) -> None:
        self.rows: Rows = {}

    def note(self, row: str, mode: str, value: float | str) -> None:
        """Note a *value*."""
        self.rows.setdefault(row, {})[mode] = str(value)

    def add(self, rows: Rows) -> None:
        """Add the *rows* of another process."""
        for row, values in rows.items():
            self.rows.setdefault(row, {}).update(values)

    def table(self, reports: Iterable[pytest.TestReport]) -> list[str]:
        """Return the lines of the table, with the number of tests and their duration."""
        rows = {**_counted(list(reports)), **dict(sorted(self.rows.items()))}
        width = max(len(row) for row in rows)
        lines = [f"{row:{width}}" + _cells(values) for row, values in rows.items()]
        return [" " * width + "".join(f"{mode:>19}" for mode in MODES), *lines]


def _cells(values: dict[str, str]) -> str:
    return "".join(f"{values.get(mode, ''):>19}" for mode in MODES)


def _counted(reports: list[pytest.TestReport]) -> Rows:
    counted: Rows = {"tests": {}, SECONDS: {}}
    for mode in MODES:
        ours = [report for report in reports if re.search(rf"[\[-]{mode}\b", report.nodeid)]
        counted["tests"][mode] = str(sum(report.when == "call" for report in ours))
        counted[SECONDS][mode] = f"{sum(report.duration for report in ours):.0f}"
    return counted
