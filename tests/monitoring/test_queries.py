"""Each query of the dashboard and each alert works on the metrics of a real hook under calls, in a real Prometheus."""

import re
import time
from pathlib import Path

import pytest

from charts.panels import queries
from tests.monitoring.prometheus import JOB
from tests.monitoring.watched import run, watched

pytestmark = pytest.mark.tools


def with_variables(expr: str, interval: str = "30s", hour: str = "30s") -> str:
    """Return *expr* with the values of the dashboard's variables, and with windows that fit the test."""
    filled = expr.replace("$__rate_interval", interval).replace("[1h]", f"[{hour}]")
    return re.sub(r"\$(namespace|resources)", ".*", filled).replace("$job", JOB)


def test_each_query_returns_data_and_prometheus_evaluates_each_alert(tmp_path: Path) -> None:
    with watched(tmp_path) as (fleet, prometheus, address):
        began = time.time()
        run(fleet, address, syncs=320)

        asked = {expr: (with_variables(expr), began, time.time()) for _, expr in queries()}
        rules = [rule for group in prometheus.get("rules")["groups"] for rule in group["rules"]]
        assert [expr for expr, query in asked.items() if not prometheus.query_range(*query)] == []
        assert {rule["health"] for rule in rules} == {"ok"}
        assert {rule["name"] for rule in rules if rule["state"] == "pending"} >= {
            "MyResourceHookCallsRefused",
            "MyResourceInstallationWrong",
        }
