"""How metrics are collected: the Service and the monitors of the Prometheus operator select what serves them."""

import pytest

from tests.chart.cluster import NEW, OURS, cluster, crd, installing


@pytest.mark.parametrize(
    ("kind", "plural"),
    [("serviceMonitor", "servicemonitors"), ("podMonitor", "podmonitors"), ("rules", "prometheusrules")],
)
def test_an_object_of_the_prometheus_operator_needs_its_crd(kind: str, plural: str) -> None:
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
