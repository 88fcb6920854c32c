"""What all tests share: see toolkit.lengths. Fault plans are the operator's."""

from collections.abc import Iterator
from copy import deepcopy
from functools import cache

import pytest

from app.api.schema import crd
from tests.service.operator import served
from toolkit.served.process import Served

pytest_plugins = ["toolkit.lengths"]

_made = cache(crd.schema)
crd.schema = lambda: deepcopy(_made())  # many tests read it, and to make it takes 0.2 s


@pytest.fixture(scope="session")
def operator() -> Iterator[Served]:
    """Give the operator's hook as a process, for all tests that change nothing of it."""
    with served() as hook:
        yield hook


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that repeats a fault plan."""
    parser.addoption("--plan", help="the only fault plan to try, such as stale-12-Service-2")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many fault plans were tried."""
    reports = [report for found in terminalreporter.stats.values() for report in found if hasattr(report, "when")]
    tried = sum(
        count
        for report in reports
        if report.when == "call"
        for name, count in report.user_properties
        if name == "plans"
    )
    if tried:
        terminalreporter.write_line(f"{tried} fault plans were tried")
