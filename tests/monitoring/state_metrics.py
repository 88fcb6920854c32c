"""What kube-state-metrics makes of its configuration, and which metrics an expression can name.

``test_kube_state_metrics.py`` compares it with the real program. Source: kube-state-metrics, pkg/customresourcestate.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import yaml

from charts.rendering import CHART
from website.metrics import families

Json = dict[str, Any]
Path = list[str]
Labels = dict[str, str]
Sample = tuple[str, Labels, float]

FILE = CHART / "files/kube-state-metrics.yaml"
RESOURCE: Json = yaml.safe_load(FILE.read_text())["spec"]["resources"][0]
PREFIX: str = RESOURCE["metricNamePrefix"]
_GROUP = {f"customresource_{key}": value for key, value in RESOURCE["groupVersionKind"].items()}
_NUMBERS = {"True": 1.0, "False": 0.0, "Unknown": 0.0}


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


def names() -> set[str]:
    """Return the names of all metrics."""
    return {f"{PREFIX}_{metric['name']}" for metric in RESOURCE["metrics"]}


def metrics(expr: str) -> set[str]:
    """Return the metrics in *expr*, in which each has label matchers or is one of kube-state-metrics."""
    without_strings = re.sub(r'"[^"]*"', '""', expr)
    return set(_METRIC.findall(without_strings)) | set(re.findall(r"\bkube_myresource_\w+", without_strings))


def known() -> set[str]:
    """Return all metrics that a query can use, with the series of a histogram."""
    ours = {family.name for family in families()}
    parts = {f"{family.name}_bucket" for family in families() if family.type == "histogram"}
    return {*ours, *parts, *PROCESS, *PROMETHEUS, *METACONTROLLER, *names()}


def samples(item: Json) -> list[Sample]:
    """Return all samples of the object *item*."""
    common = {**_GROUP, **_labels(item, RESOURCE["labelsFromPath"])}
    return [
        (f"{PREFIX}_{metric['name']}", {**labels, **common}, value)
        for metric in RESOURCE["metrics"]
        for labels, value in _each(item, metric["each"])
    ]


def exposition(items: list[Json]) -> str:
    """Return the samples of all *items*, in the text format of Prometheus."""
    return "".join(f"{name}{{{_text(labels)}}} {value}\n" for item in items for name, labels, value in samples(item))


def at(item: Any, path: Path) -> Any:
    """Return the value at *path*, in which ``[key=value]`` selects from a list; None if there is none."""
    for part in path:
        if isinstance(item, list):
            key, _, value = part.strip("[]").partition("=")
            item = next((each for each in item if each.get(key) == value), None)
        elif item is not None:
            item = item.get(part)
    return item


def _each(item: Json, each: Json) -> Iterator[tuple[Labels, float]]:
    rule = each[each["type"][0].lower() + each["type"][1:]]
    found = at(item, rule["path"])
    if each["type"] == "StateSet" and found is not None:
        yield from (({rule["labelName"]: name}, float(name == found)) for name in rule["list"])
    if each["type"] == "Info" and found is not None:
        yield _labels(found, rule["labelsFromPath"]), 1.0
    if each["type"] == "Gauge":
        for value in found if isinstance(found, list) else [found]:
            number = at(value, rule.get("valueFrom", []))
            if number is not None:
                yield _labels(value, rule.get("labelsFromPath", {})), _number(number)


def _labels(item: Any, paths: dict[str, Path]) -> Labels:
    return {name: str(value) for name, path in paths.items() if (value := at(item, path)) is not None}


def _number(value: Any) -> float:
    if isinstance(value, str):
        return _NUMBERS[value] if value in _NUMBERS else datetime.fromisoformat(value).timestamp()
    return float(value)


def _text(labels: Labels) -> str:
    escaped = {name: value.replace("\\", r"\\").replace('"', r"\"") for name, value in labels.items()}
    return ",".join(f'{name}="{value}"' for name, value in escaped.items())
