"""What all tests share: how hypothesis runs, and how tests are collected."""

import gc
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "project",
    deadline=None,  # speed is measured in benchmarks, not in tests
    derandomize=True,  # the same run for everybody
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("project")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect the tests without the garbage collector, which would look through all of them again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that accepts what is made now, and that of tests/plans."""
    parser.addoption("--update-golden", action="store_true", help="write the golden responses again")
    parser.addoption("--all-plans", action="store_true", help="try all fault plans, not one in four")
    parser.addoption("--thorough", action="store_true", help="fuzz at length, as make test-all does")
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
