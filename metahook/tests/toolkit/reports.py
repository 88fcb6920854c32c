"""A plugin of pytest for the tests of both halves: the reports of tests, on their way from a worker of xdist."""

import marshal
from collections.abc import Generator
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, dict[str, Any], dict[str, Any]]:
    """Make one value of a report, because xdist takes half a millisecond of CPU to send all of its fields."""
    return {"report": marshal.dumps((yield))}


@pytest.hookimpl(tryfirst=True)
def pytest_report_from_serializable(data: dict[str, Any]) -> None:
    """Make fields of it again, for what reads them after this."""
    data |= marshal.loads(data.pop("report"))  # noqa: S302 - a worker of this run wrote it
