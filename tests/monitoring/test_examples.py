"""The Prometheus and the kube-state-metrics of examples/monitoring fit the chart, and are valid."""

from typing import Any

import pytest
import yaml

from charts.rendering import rendered
from tests.chart.pod_security import violations
from tests.docs.documents import ROOT
from tests.monitoring.prometheus import JOB
from tests.schemas.kubernetes import validate

Json = dict[str, Any]

FOLDER = ROOT / "examples/monitoring"
ITEMS: list[Json] = [item for file in sorted(FOLDER.glob("*.yaml")) for item in yaml.safe_load_all(file.read_text())]
CONFIG_TEXT: str = next(item for item in ITEMS if item["kind"] == "ConfigMap")["data"]["prometheus.yml"]
CONFIG: Json = yaml.safe_load(CONFIG_TEXT)
JOBS = {job["job_name"]: job for job in CONFIG["scrape_configs"]}
VALUES = {"metrics": {"kubeStateMetrics": {"enabled": True}}}


def the(kind: str, name: str) -> Json:
    (found,) = [item for item in ITEMS if item["kind"] == kind and item["metadata"]["name"] == name]
    return found


@pytest.mark.parametrize("item", ITEMS, ids=[f"{item['kind']} {item['metadata']['name']}" for item in ITEMS])
def test_an_object_is_valid(item: Json) -> None:
    for version in ("1.30", "1.34"):
        validate(item, version)


def test_the_pods_are_restricted() -> None:
    deployments = [item for item in ITEMS if item["kind"] == "Deployment"]
    found = {item["metadata"]["name"]: violations(item["spec"]["template"]["spec"]) for item in deployments}

    assert found == {"kube-state-metrics": [], "prometheus": []}


def test_prometheus_reads_the_alerts_that_the_page_puts_into_a_configmap() -> None:
    pod = the("Deployment", "prometheus")["spec"]["template"]["spec"]
    (name,) = [each["configMap"]["name"] for each in pod["volumes"] if each["name"] == "rules"]
    (mounted,) = [each["mountPath"] for each in pod["containers"][0]["volumeMounts"] if each["name"] == "rules"]
    command = f"create configmap {name} --from-file=charts/myresource-operator/files/alerts.yaml\n"

    assert command in (ROOT / "docs/clusters/monitor.md").read_text()
    assert CONFIG["rule_files"] == [f"{mounted}/*.yaml"]


def test_prometheus_scrapes_what_the_chart_serves() -> None:
    ((hook,),) = [source["names"] for source in JOBS[JOB]["dns_sd_configs"]]
    made = yaml.safe_load(rendered()["deployment.yaml"])
    (container,) = made["spec"]["template"]["spec"]["containers"]

    assert hook == "myresource-operator-metrics.myresource-operator.svc.cluster.local"
    assert JOBS[JOB]["dns_sd_configs"][0]["port"] in {port["containerPort"] for port in container["ports"]}
    assert JOBS["kube-state-metrics"]["honor_labels"] is True


def test_kube_state_metrics_reads_the_configmap_of_the_chart_with_its_permissions() -> None:
    made = rendered(VALUES)
    config = yaml.safe_load(made["configmap-kube-state-metrics.yaml"])
    (subject,) = yaml.safe_load(made["clusterrolebinding-kube-state-metrics.yaml"])["subjects"]
    pod = the("Deployment", "kube-state-metrics")["spec"]["template"]["spec"]
    (volume,), (container,) = pod["volumes"], pod["containers"]

    assert volume["configMap"]["name"] == config["metadata"]["name"]
    assert pod["serviceAccountName"] == subject["name"]
    assert {item["metadata"]["namespace"] for item in ITEMS} == {config["metadata"]["namespace"], "metacontroller"}
    (key,) = config["data"]
    assert f"--custom-resource-state-config-file=/etc/kube-state-metrics/{key}" in container["args"]
