"""The configuration of kube-state-metrics: each metric and each label is that of a MyResource, and on the page."""

import re
from typing import Any

from app.core.status.parent_status import TERMS
from tests.docs.documents import ROOT
from tests.monitoring.state_metrics import PREFIX, RESOURCE, samples
from tests.requests.builders import finished, my_resource, sync

Json = dict[str, Any]

RULES: dict[str, Json] = {
    metric["name"]: rule for metric in RESOURCE["metrics"] for kind, rule in metric["each"].items() if kind != "type"
}
LABELS = {
    name: {*rule.get("labelsFromPath", {}), *([rule["labelName"]] if "labelName" in rule else [])}
    for name, rule in RULES.items()
}
COMMON = {*RESOURCE["labelsFromPath"], *(f"customresource_{key}" for key in RESOURCE["groupVersionKind"])}


def test_a_ready_myresource_has_all_metrics_with_all_labels() -> None:
    parent = my_resource(replicas=2, generation=7)
    status = sync(parent, *finished(parent))["status"] | {"observedGeneration": 6, "readyGeneration": 5, "replicas": 3}
    parent["metadata"]["creationTimestamp"] = "2026-01-31T11:00:00Z"
    found = samples({**parent, "status": status})
    values = {(name, labels.get("type") or labels.get("state")): value for name, labels, value in found}

    assert {(name, *sorted(labels)) for name, labels, _ in found} == {
        (f"{PREFIX}_{name}", *sorted(labels | COMMON)) for name, labels in LABELS.items()
    }
    assert values["kube_myresource_condition", "Ready"] == 1
    assert values["kube_myresource_state", "Ready"] == 1
    assert values["kube_myresource_state", "Building"] == 0
    assert values["kube_myresource_created", None] == 1769857200
    assert values["kube_myresource_generation", None] == 7
    assert values["kube_myresource_observed_generation", None] == 6
    assert values["kube_myresource_ready_generation", None] == 5
    assert values["kube_myresource_replicas_desired", None] == 2
    assert values["kube_myresource_replicas", None] == 3
    assert {*RULES["state"]["list"]} == {term.name for term in TERMS if term.kind == "state"}


def test_the_page_has_each_metric_with_its_labels() -> None:
    page = (ROOT / "docs/clusters/monitor.md").read_text()

    for metric in RESOURCE["metrics"]:
        (row,) = re.findall(rf"^\| `kube_myresource_{metric['name']}` \| (.*?) ?\| (.*) \|$", page, re.MULTILINE)

        assert set(re.findall(r"`(\w+)`", row[0])) == LABELS[metric["name"]]
        assert row[1] == metric["help"]
