"""What all tests share: see toolkit.lengths. Fault plans are the operator's."""

import os
from collections.abc import Iterator

import pytest

from tests.service.operator import served
from toolkit.served.process import Served

pytest_plugins = ["toolkit.lengths"]

CPU = pytest.StashKey[float]()
SLOWEST = 10


@pytest.fixture(scope="session")
def operator() -> Iterator[Served]:
    """Give the operator's hook as a process, for all tests that change nothing of it."""
    with served() as hook:
        yield hook


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that repeats a fault plan."""
    parser.addoption("--plan", help="the only fault plan to try, such as stale-12-Service-2")


def _cpu() -> float:
    """Return the seconds of CPU that this process has taken, and those that it started and that ended."""
    return sum(os.times()[:4])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note the CPU at the start of a test."""
    item.stash[CPU] = _cpu()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Add what the test took to its last report."""
    if call.when == "teardown":
        item.user_properties.append(("cpu", _cpu() - item.stash.get(CPU, _cpu())))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many fault plans were tried, and which tests took most CPU."""
    reports = [report for found in terminalreporter.stats.values() for report in found if hasattr(report, "when")]
    told = [
        (name, value, each.nodeid)
        for each in reports
        if each.when == "teardown"
        for name, value in each.user_properties
    ]
    if tried := sum(count for name, count, _ in told if name == "plans"):
        terminalreporter.write_line(f"{tried} fault plans were tried")
    slow = sorted(((spent, test) for name, spent, test in told if name == "cpu" and spent > 1), reverse=True)
    for spent, test in slow[:SLOWEST]:
        terminalreporter.write_line(f"{spent:4.1f} s of CPU: {test}")
