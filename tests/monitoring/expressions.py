"""The metrics that an expression of Prometheus names, and those that exist."""

import re

from tests.monitoring.state_metrics import names as state_metrics
from website.metrics import families

PROCESS = {"process_resident_memory_bytes", "process_start_time_seconds", "process_cpu_seconds_total"}
"""Of the metrics of the process, those of docs/reference/metrics.md that are used."""
PROMETHEUS = {"up", "ALERTS"}
METACONTROLLER = {
    "metacontroller_sync_requests_total",
    "metacontroller_customize_requests_total",
    "workqueue_depth",
}
"""``test_kube_state_metrics.py`` finds them in Metacontroller."""

_METRIC = re.compile(r"\b[a-zA-Z_]+(?=\{)")


def metrics(expr: str) -> set[str]:
    """Return the metrics in *expr*, in which each has label matchers or is one of kube-state-metrics."""
    without_strings = re.sub(r'"[^"]*"', '""', expr)
    return set(_METRIC.findall(without_strings)) | set(re.findall(r"\bkube_myresource_\w+", without_strings))


def known() -> set[str]:
    """Return all metrics that a query can use, with the series of a histogram."""
    ours = {family.name for family in families()}
    parts = {f"{family.name}_bucket" for family in families() if family.type == "histogram"}
    return {*ours, *parts, *PROCESS, *PROMETHEUS, *METACONTROLLER, *state_metrics()}
