"""kube-state-metrics, with the configuration of the chart, on a real control plane with Metacontroller."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.api.names import API_VERSION
from app.core.controller import controller
from app.core.watch import Watch
from metahook.envtest import Cluster, Missing
from metahook.envtest.process import Process, answers, free_port
from tests.docs.documents import ROOT
from tests.monitoring.state_metrics import FILE, METACONTROLLER, PREFIX, names, samples
from toolkit.programs import find_or_skip

pytestmark = pytest.mark.tools

Json = dict[str, Any]
Found = dict[tuple[str, frozenset[tuple[str, str]]], float]

CRD, COMPOSITE = ROOT / "crds/mygroup.example.com_myresources.yaml", ROOT / "metacontroller/compositecontroller.yaml"
MADE: dict[str, tuple[Json, str]] = {
    "building": ({"image": "nginx:1.27", "replicas": 2}, "Reconciling"),
    "stalled": (
        {"image": "nginx:1.27", "dependencies": [{"apiVersion": "v1", "resource": "pods", "name": "x"}]},
        "Stalled",
    ),
    "ready": ({"image": "nginx:1.27", "replicas": 0}, "Ready"),
}
"""By name: a spec, and the condition that becomes True."""


@pytest.fixture(name="cluster", scope="module")
def _cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    try:
        cluster = Cluster(tmp_path_factory.mktemp("cluster"), apply_strategy="server-side-apply")
    except Missing as missing:
        pytest.skip(str(missing))

    def is_true(name: str, kind: str) -> bool:
        conditions = (cluster.get("MyResource", name) or {}).get("status", {}).get("conditions", [])
        return (kind, "True") in {(each["type"], each["status"]) for each in conditions}

    with cluster:
        cluster.install(controller(Watch()), CRD, COMPOSITE)
        for name, (spec, _) in MADE.items():
            cluster.apply({"apiVersion": API_VERSION, "kind": "MyResource", "metadata": {"name": name}, "spec": spec})
        for name, (_, kind) in MADE.items():
            cluster.wait_for(partial(is_true, name, kind), f"{name} has its condition")
        yield cluster


def found(url: str) -> Found:
    """Return the values of all series about MyResources that kube-state-metrics has at *url*."""
    families = text_string_to_metric_families(httpx.get(f"{url}/metrics", trust_env=False).text)
    series = [sample for family in families for sample in family.samples if sample.name.startswith(PREFIX)]
    return {(each.name, frozenset(each.labels.items())): each.value for each in series}


def test_kube_state_metrics_has_the_metrics_of_each_myresource(cluster: Cluster, tmp_path: Path) -> None:
    def expected() -> Found:  # by ``state_metrics.py``
        series = [each for item in cluster.list("MyResource") for each in samples(item)]
        return {(name, frozenset(labels.items())): value for name, labels, value in series}

    port = free_port()
    url = f"http://127.0.0.1:{port}"
    places = ["--host=127.0.0.1", f"--port={port}", "--telemetry-host=127.0.0.1", f"--telemetry-port={free_port()}"]
    only = ["--custom-resource-state-only=true", f"--custom-resource-state-config-file={FILE}"]
    command = [find_or_skip("kube-state-metrics"), f"--kubeconfig={cluster.kubeconfig}", *places, *only]
    process = Process("kube-state-metrics", command, tmp_path, lambda: answers(f"{url}/livez"))
    process.start()
    try:
        cluster.wait_for(lambda: found(url) == expected(), "the metrics are those of the configuration")
        series = found(url)
    finally:
        process.stop()

    assert {name for name, _ in series} == names()
    conditions = {labels: value for (name, labels), value in series.items() if name == f"{PREFIX}_condition"}
    for name, (_, kind) in MADE.items():
        assert [conditions[each] for each in conditions if {("type", kind), ("myresource", name)} <= each] == [1]


def test_metacontroller_has_the_metrics_of_the_alerts(cluster: Cluster) -> None:
    (option,) = [each for each in cluster.metacontroller.command if each.startswith("--metrics-address=")]
    text = httpx.get(f"http://{option.partition('=')[2]}/metrics", trust_env=False).text
    families = {
        sample.name: sample.labels for family in text_string_to_metric_families(text) for sample in family.samples
    }

    assert set(families) >= METACONTROLLER
    assert families["metacontroller_sync_requests_total"]["controller_name"] == "myresource"
    assert 'workqueue_depth{controller="CompositeController-myresource",name="CompositeController-myresource"' in text
