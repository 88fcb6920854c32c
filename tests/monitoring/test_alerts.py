"""An alert has a section in docs/reference/alerts.md, cases, and metrics that exist; the chart has it as values say."""

import re
from typing import Any

import pytest
import yaml

from charts.rendering import rendered
from tests.docs.documents import ROOT
from tests.monitoring.cases import CASES, RULES
from tests.monitoring.prometheus import ALERTS
from tests.monitoring.state_metrics import known, metrics

Json = dict[str, Any]

PAGE = (ROOT / "docs/reference/alerts.md").read_text()


def prometheus_rule(values: Json | None = None, **rules: object) -> str:
    """Return the chart's PrometheusRule."""
    return rendered({**(values or {}), "metrics": {"rules": {"enabled": True, **rules}}})["prometheusrule.yaml"]


def rules_in(text: str) -> list[Json]:
    return [rule for group in yaml.safe_load(text)["spec"]["groups"] for rule in group["rules"]]


def test_each_alert_has_a_section_in_the_runbook_and_the_chart_has_it_as_it_is_in_the_file() -> None:
    assert re.findall(r"^### (\w+)$", PAGE, re.MULTILINE) == list(RULES)
    assert {rule["alert"]: rule for rule in rules_in(prometheus_rule())} == RULES


@pytest.mark.parametrize("name", RULES)
def test_an_alert_has_cases_metrics_that_exist_and_what_the_people_on_call_need(name: str) -> None:
    rule, used = RULES[name], metrics(RULES[name]["expr"])
    labels = [case.labels for case in CASES if case.alert == name]
    fires = [each for each in labels if each is not None]

    assert fires
    assert None in labels
    assert used
    assert used <= known()
    assert rule["labels"]["severity"] in {"warning", "critical"}
    assert set(rule["annotations"]) == {"summary", "description", "runbook_url"}
    assert rule["annotations"]["runbook_url"] == f"docs/reference/alerts.md#{name.lower()}"
    assert set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"]))) <= set(fires[0])
    assert "$value" not in str(rule)  # else the same alert would have another text at each evaluation


def test_an_alert_is_about_the_job_and_has_the_address_of_the_values() -> None:
    made = rules_in(prometheus_rule(job="a/b", runbookUrl="https://example.com/alerts/"))

    for rule, original in zip(made, RULES.values(), strict=True):
        assert rule["expr"] == original["expr"].replace('job="myresource-operator"', 'job="a/b"')
        assert f"https://example.com/alerts/#{rule['alert'].lower()}" in str(rule["annotations"])
    assert 'job="myresource-operator"' in ALERTS.read_text()


@pytest.mark.parametrize(("resync", "seconds"), [(60, 1800), (600, 1800), (3600, 10800)])
def test_an_alert_waits_for_three_resyncs(resync: int, seconds: int) -> None:
    text = prometheus_rule({"compositeController": {"resyncPeriodSeconds": resync}})

    assert f"[{seconds}s]" in text
    assert ("[1800s]" in text) is (seconds == 1800)
    assert f"[{resync}s:30s]" in text
    assert f"Within {resync}s after" in " ".join(text.split())
