"""kube-state-metrics, with the configuration of the chart, on a real control plane with Metacontroller."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.core.controller import controller
from app.core.watch import Watch
from metahook.envtest import Cluster, Missing
from metahook.envtest.free_port import free_port
from metahook.envtest.process import Process, answers
from tests.docs.documents import ROOT
from tests.monitoring.expressions import METACONTROLLER
from tests.monitoring.state_metrics import FILE, PREFIX, Labels, names, samples
from toolkit.programs import find_or_skip

pytestmark = pytest.mark.tools

Json = dict[str, Any]
Found = dict[tuple[str, frozenset[tuple[str, str]]], float]

CRD, COMPOSITE = ROOT / "crds/mygroup.example.com_myresources.yaml", ROOT / "metacontroller/compositecontroller.yaml"
SPECS: dict[str, Json] = {
    "building": {"image": "nginx:1.27", "replicas": 2},
    "stalled": {"image": "nginx:1.27", "dependencies": [{"apiVersion": "v1", "resource": "pods", "name": "x"}]},
    "ready": {"image": "nginx:1.27", "replicas": 0},
}


@pytest.fixture(name="cluster", scope="module")
def _cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    try:
        cluster = Cluster(tmp_path_factory.mktemp("cluster"), apply_strategy="server-side-apply")
    except Missing as missing:
        pytest.skip(str(missing))
    with cluster:
        cluster.install(controller(Watch()), CRD, COMPOSITE)
        for name, spec in SPECS.items():
            cluster.apply(_my_resource(name, spec))
        for name in SPECS:
            cluster.wait_for(lambda name=name: _condition(cluster, name, name.title()), f"{name} has its condition")  # type: ignore[misc]  # the type of a default
        yield cluster


def _my_resource(name: str, spec: Json) -> Json:
    return {
        "apiVersion": "mygroup.example.com/v1alpha1",
        "kind": "MyResource",
        "metadata": {"name": name},
        "spec": spec,
    }


def _condition(cluster: Cluster, name: str, kind: str) -> bool:
    status = (cluster.get("MyResource", name) or {}).get("status", {})
    conditions = {each["type"]: each["status"] for each in status.get("conditions", [])}
    return conditions.get({"Building": "Reconciling"}.get(kind, kind)) == "True"


@pytest.fixture(name="served", scope="module")
def _served(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of kube-state-metrics."""
    program = find_or_skip("kube-state-metrics")
    folder, port = tmp_path_factory.mktemp("state-metrics"), free_port()
    command = [
        program,
        f"--kubeconfig={cluster.kubeconfig}",
        "--host=127.0.0.1",
        f"--port={port}",
        "--telemetry-host=127.0.0.1",
        f"--telemetry-port={free_port()}",
        "--custom-resource-state-only=true",
        f"--custom-resource-state-config-file={FILE}",
    ]
    url = f"http://127.0.0.1:{port}"
    process = Process("kube-state-metrics", command, folder, lambda: answers(f"{url}/livez"))
    process.start()
    try:
        yield f"{url}/metrics"
    finally:
        process.stop()


def found(url: str) -> Found:
    """Return the values of all series about MyResources."""
    families = text_string_to_metric_families(httpx.get(url, trust_env=False).text)
    return {
        _key(sample.name, sample.labels): sample.value
        for family in families
        for sample in family.samples
        if sample.name.startswith(PREFIX)
    }


def _key(name: str, labels: Labels) -> tuple[str, frozenset[tuple[str, str]]]:
    return name, frozenset(labels.items())


def expected(cluster: Cluster) -> Found:
    """Return the series that ``state_metrics.py`` makes of the MyResources in the cluster."""
    return {_key(name, labels): value for item in cluster.list("MyResource") for name, labels, value in samples(item)}


def test_kube_state_metrics_has_the_metrics_of_each_myresource(cluster: Cluster, served: str) -> None:
    cluster.wait_for(lambda: found(served) == expected(cluster), "the metrics are those of the configuration")

    present = {name for name, _ in found(served)}
    assert present == names()
    for kind, name in (("Ready", "ready"), ("Stalled", "stalled"), ("Reconciling", "building")):
        values = [
            value
            for (metric, labels), value in found(served).items()
            if metric == f"{PREFIX}_condition" and {("type", kind), ("myresource", name)} <= labels
        ]
        assert values == [1]


def test_metacontroller_has_the_metrics_of_the_alerts(cluster: Cluster) -> None:
    (option,) = [each for each in cluster.metacontroller.command if each.startswith("--metrics-address=")]
    text = httpx.get(f"http://{option.partition('=')[2]}/metrics", trust_env=False).text
    families = {
        sample.name: sample.labels for family in text_string_to_metric_families(text) for sample in family.samples
    }

    assert set(families) >= METACONTROLLER
    assert families["metacontroller_sync_requests_total"]["controller_name"] == "myresource"
    assert 'workqueue_depth{controller="CompositeController-myresource",name="CompositeController-myresource"' in text
