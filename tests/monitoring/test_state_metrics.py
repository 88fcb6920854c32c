"""The configuration of kube-state-metrics: each path is a field of the CRD, and the permissions fit it."""

import re
from collections.abc import Iterator
from typing import Any

from app.core.status.glossary import TERMS
from tests.api.apiserver import SCHEMA
from tests.docs.documents import ROOT
from tests.monitoring.state_metrics import RESOURCE, names, samples
from tests.requests.builders import finished, my_resource, sync

Json = dict[str, Any]

METADATA = {"name", "namespace", "creationTimestamp", "generation"}


def paths() -> Iterator[list[str]]:
    """Yield each path of the configuration, from the root of the object."""
    yield from RESOURCE["labelsFromPath"].values()
    for metric in RESOURCE["metrics"]:
        ((_, rule),) = [item for item in metric["each"].items() if item[0] != "type"]
        base = rule["path"]
        yield base
        yield from ([*base, *path] for path in rule.get("labelsFromPath", {}).values())
        yield [*base, *rule.get("valueFrom", [])]


def field(path: list[str]) -> Json | None:
    """Return the schema of the field at *path*; None if the CRD has no such field."""
    if path[0] == "metadata":
        return {} if path[1:] and path[1] in METADATA else None
    found: Json | None = SCHEMA
    for part in path:
        if found is None:
            return None
        if found.get("type") == "array" and not part.startswith("["):
            found = found["items"]
        found = found["items"] if part.startswith("[") else found.get("properties", {}).get(part)
    return found


def test_each_path_is_a_field_of_the_crd_and_a_metric_has_each_state() -> None:
    (states,) = [metric["each"]["stateSet"]["list"] for metric in RESOURCE["metrics"] if metric["name"] == "state"]

    assert [path for path in paths() if field(path) is None] == []
    assert set(states) == {term.name for term in TERMS if term.kind == "state"}


def test_a_ready_myresource_has_all_metrics() -> None:
    parent = my_resource(replicas=2)
    status = sync(parent, *finished(parent))["status"]
    parent["metadata"]["creationTimestamp"] = "2026-01-31T11:00:00Z"
    found = samples({**parent, "status": {**status, "observedGeneration": 1}})
    values = {(name, labels.get("type") or labels.get("state")): value for name, labels, value in found}

    assert {name for name, *_ in found} == names()
    assert values["kube_myresource_condition", "Ready"] == 1
    assert values["kube_myresource_state", "Ready"] == 1
    assert values["kube_myresource_state", "Building"] == 0
    assert values["kube_myresource_created", None] == 1769857200


def test_the_page_has_each_metric_with_its_labels() -> None:
    page = (ROOT / "docs/clusters/monitor.md").read_text()

    for metric in RESOURCE["metrics"]:
        ((_, rule),) = [item for item in metric["each"].items() if item[0] != "type"]
        labels = {*rule.get("labelsFromPath", {}), *([rule["labelName"]] if "labelName" in rule else [])}
        (row,) = re.findall(rf"^\| `kube_myresource_{metric['name']}` \| (.*?) ?\| (.*) \|$", page, re.MULTILINE)

        assert set(re.findall(r"`(\w+)`", row[0])) == labels
        assert row[1] == metric["help"]
