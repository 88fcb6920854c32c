"""An alert has a section in docs/reference/alerts.md, cases, and metrics that exist; the chart has it as values say."""

import re

import pytest
import yaml

from charts.rendering import rendered
from tests.docs.documents import ROOT
from tests.monitoring.cases import CASES, RULES
from tests.monitoring.expressions import known, metrics
from tests.monitoring.prometheus import ALERTS

Json = dict[str, object]

PAGE = (ROOT / "docs/reference/alerts.md").read_text()
LABEL = re.compile(r"\$labels\.(\w+)")
each_alert = pytest.mark.parametrize("name", RULES)


def prometheus_rule(**rules: object) -> list[Json]:
    """Return the rules of the chart's PrometheusRule."""
    values = {"metrics": {"rules": {"enabled": True, **rules}}}
    made = yaml.safe_load(rendered(values)["prometheusrule.yaml"])
    return [rule for group in made["spec"]["groups"] for rule in group["rules"]]


def test_each_alert_has_a_section_in_the_runbook() -> None:
    assert re.findall(r"^### (\w+)$", PAGE, re.MULTILINE) == list(RULES)


@each_alert
def test_an_alert_has_cases_in_which_it_fires_and_cases_in_which_it_does_not(name: str) -> None:
    fires = {case.labels is not None for case in CASES if case.alert == name}

    assert fires == {True, False}


@each_alert
def test_an_alert_has_what_the_people_on_call_need(name: str) -> None:
    rule = RULES[name]
    labels = next(case.labels or {} for case in CASES if case.alert == name and case.labels is not None)

    assert rule["labels"]["severity"] in {"warning", "critical"}
    assert set(rule["annotations"]) == {"summary", "description", "runbook_url"}
    assert rule["annotations"]["runbook_url"] == f"docs/reference/alerts.md#{name.lower()}"
    assert set(LABEL.findall(str(rule["annotations"]))) <= set(labels)
    assert "$value" not in str(rule)  # else the same alert would have another text at each evaluation


@each_alert
def test_an_alert_uses_metrics_that_exist(name: str) -> None:
    used = metrics(RULES[name]["expr"])

    assert used
    assert used <= known()


def test_the_chart_has_all_alerts_as_they_are_in_the_file() -> None:
    assert {rule["alert"]: rule for rule in prometheus_rule()} == RULES


def test_an_alert_is_about_the_job_and_has_the_address_of_the_values() -> None:
    rules = prometheus_rule(job="a/b", runbookUrl="https://example.com/alerts/")

    for rule, original in zip(rules, RULES.values(), strict=True):
        expr = str(original["expr"])
        assert rule["expr"] == expr.replace('job="myresource-operator"', 'job="a/b"')
        assert f"https://example.com/alerts/#{str(rule['alert']).lower()}" in str(rule["annotations"])
    assert 'job="myresource-operator"' in ALERTS.read_text()


def test_without_resources_no_alert_is_about_a_limit() -> None:
    made = rendered({"metrics": {"rules": {"enabled": True}}, "resources": None})["prometheusrule.yaml"]

    assert "MyResourceHookMemoryHigh" not in made
    assert "MyResourceHookRestarts" in made


@pytest.mark.parametrize(
    ("memory", "limit"), [("512Mi", 536870912), ("1.5Gi", 1610612736), ("600M", 600000000), (1000000000, 1000000000)]
)
def test_the_memory_limit_is_that_of_the_hook(memory: str, limit: int) -> None:
    values = {"metrics": {"rules": {"enabled": True}}, "resources": {"limits": {"memory": memory}}}

    assert f"0.85 * {limit}\n" in rendered(values)["prometheusrule.yaml"]


@pytest.mark.parametrize(("resync", "seconds"), [(60, 1800), (600, 1800), (3600, 10800)])
def test_an_alert_waits_for_three_resyncs(resync: int, seconds: int) -> None:
    values = {"metrics": {"rules": {"enabled": True}}, "compositeController": {"resyncPeriodSeconds": resync}}
    text = rendered(values)["prometheusrule.yaml"]

    assert f"[{seconds}s]" in text
    assert ("[1800s]" in text) is (seconds == 1800)
    assert f"[{resync}s:30s]" in text
    assert f"Within {resync}s after" in " ".join(text.split())
