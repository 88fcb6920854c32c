"""How metrics are collected: the Service and the monitors of the Prometheus operator select what serves them."""

import pytest

from tests.chart.cluster import NEW, OURS, cluster, crd, installing
from tests.chart.sets import Json, objects, the, values

MONITOR, POD_MONITOR = values("monitor"), values("pod-monitor")
ENDPOINTS = [
    pytest.param(MONITOR, "ServiceMonitor", "endpoints", id="ServiceMonitor"),
    pytest.param(POD_MONITOR, "PodMonitor", "podMetricsEndpoints", id="PodMonitor"),
]


def services(given: Json) -> dict[str, Json]:
    return {item["metadata"]["name"]: item for item in objects(given) if item["kind"] == "Service"}


def template() -> Json:
    found: Json = the("Deployment")["spec"]["template"]
    return found


def test_by_default_nothing_is_created_for_metrics() -> None:
    assert set(services({})) == {"myresource-operator"}
    assert not [item for item in objects() if item["kind"].endswith("Monitor")]


def test_the_service_for_metrics_finds_every_pod_at_the_health_port() -> None:
    spec = services(MONITOR)["myresource-operator-metrics"]["spec"]
    (container,) = template()["spec"]["containers"]
    (port,) = spec["ports"]

    assert spec["clusterIP"] == "None"
    assert spec["selector"].items() <= template()["metadata"]["labels"].items()
    assert {"name": port["targetPort"], "containerPort": port["port"]} in container["ports"]


def test_the_service_monitor_selects_a_port_that_only_the_service_for_metrics_has() -> None:
    spec = the("ServiceMonitor", MONITOR)["spec"]
    (endpoint,) = spec["endpoints"]
    ports = {name: [port["name"] for port in item["spec"]["ports"]] for name, item in services(MONITOR).items()}

    for item in services(MONITOR).values():
        assert spec["selector"]["matchLabels"].items() <= item["metadata"]["labels"].items()
    assert [name for name, names in ports.items() if endpoint["port"] in names] == ["myresource-operator-metrics"]


def test_the_pod_monitor_selects_the_pods_and_their_health_port() -> None:
    spec = the("PodMonitor", POD_MONITOR)["spec"]
    (endpoint,) = spec["podMetricsEndpoints"]
    (container,) = template()["spec"]["containers"]

    assert spec["selector"]["matchLabels"].items() <= template()["metadata"]["labels"].items()
    assert endpoint["port"] in [port["name"] for port in container["ports"]]


@pytest.mark.parametrize(("given", "kind", "endpoints"), ENDPOINTS)
def test_both_monitors_give_the_same_job(given: Json, kind: str, endpoints: str) -> None:
    spec = the(kind, given)["spec"]

    assert spec["jobLabel"] == "app.kubernetes.io/name"
    assert [endpoint["path"] for endpoint in spec[endpoints]] == ["/metrics"]


@pytest.mark.parametrize(
    ("kind", "plural"),
    [("serviceMonitor", "servicemonitors"), ("podMonitor", "podmonitors"), ("rules", "prometheusrules")],
)
def test_a_monitor_needs_its_crd(kind: str, plural: str) -> None:
    given = {
        "crds": {"enabled": False},
        "networkPolicy": {"enabled": False},
        "metrics": {"service": {"enabled": True}, kind: {"enabled": True}},
    }
    name = f"{plural}.monitoring.coreos.com"

    with cluster(crds=[NEW, OURS]) as address:
        assert f"metrics.{kind}.enabled is true and the CRD {name} is not installed" in installing(address, given)
    with cluster(crds=[NEW, OURS, crd(name)]) as address:
        assert "is not installed" not in installing(address, given)
