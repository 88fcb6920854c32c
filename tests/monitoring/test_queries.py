"""Each query of the dashboard and each alert works on the metrics of a real hook under calls, in a real Prometheus."""

import re
import time
from collections.abc import Iterator

import pytest

from charts.panels import queries
from tests.monitoring.prometheus import JOB, Prometheus
from tests.monitoring.watched import run, watched

pytestmark = pytest.mark.tools

SYNCS = 320
QUERIES = list(queries())
each_query = pytest.mark.parametrize(
    "expr", [pytest.param(expr, id=f"{number} {title}") for number, (title, expr) in enumerate(QUERIES)]
)


def with_variables(expr: str, interval: str = "30s", hour: str = "30s") -> str:
    """Return *expr* with the values of the dashboard's variables, and with windows that fit the test."""
    filled = expr.replace("$__rate_interval", interval).replace("[1h]", f"[{hour}]")
    return re.sub(r"\$(namespace|resources)", ".*", filled).replace("$job", JOB)


@pytest.fixture(name="prometheus", scope="module")
def _prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Prometheus, float]]:
    with watched(tmp_path_factory.mktemp("watched")) as (fleet, prometheus, address):
        began = time.time()
        run(fleet, address, SYNCS)
        yield prometheus, began


@each_query
def test_a_query_returns_data(prometheus: tuple[Prometheus, float], expr: str) -> None:
    here, began = prometheus

    assert here.query_range(with_variables(expr), began, time.time())


def test_prometheus_evaluates_each_alert(prometheus: tuple[Prometheus, float]) -> None:
    here, _ = prometheus
    rules = [rule for group in here.get("rules")["groups"] for rule in group["rules"]]

    assert {rule["health"] for rule in rules} == {"ok"}
    assert {rule["name"] for rule in rules if rule["state"] == "pending"} >= {
        "MyResourceHookCallsRefused",
        "MyResourceInstallationWrong",
        "MyResourceChildrenKept",
    }
