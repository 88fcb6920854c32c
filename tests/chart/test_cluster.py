"""The checks of the cluster before an installation, and their error messages."""

import re
import shutil
from pathlib import Path

import pytest

from charts.rendering import CHART
from tests.chart.cluster import FIELDS, NAME, NEW, OURS, cluster, crd, installing
from tests.chart.sets import Json

WATCHES = {"watch": {"dependencies": [{"apiVersion": "example.com/v1", "resource": "mybackups", "kind": "MyBackup"}]}}
GROUP = "monitoring.coreos.com"
MONITORS = {"serviceMonitor": "servicemonitors", "podMonitor": "podmonitors", "rules": "prometheusrules"}
WITHOUT_CRD: Json = {"crds": {"enabled": False}}
ABSENT = f"CRD {NAME} of Metacontroller is not installed: install Metacontroller 4.17.2 or later first"
OLD = "is too old, it has no field {}: apply the CRDs of Metacontroller 4.17.2 or later"


def monitored(kind: str) -> Json:
    """Return the values that enable an object of the Prometheus operator."""
    metrics = {"service": {"enabled": True}, kind: {"enabled": True}}
    return {**WITHOUT_CRD, "networkPolicy": {"enabled": False}, "metrics": metrics}


CASES: dict[str, tuple[Json, Json, str]] = {
    "Metacontroller": ({"crds": [NEW]}, {}, ""),
    "no Metacontroller": ({"crds": []}, {}, ABSENT),
    "no check": ({"crds": []}, {"metacontroller": {"check": False}}, ""),
    **{
        f"Metacontroller without {field}": (
            {"crds": [crd(NAME, *(other for other in FIELDS if other != field))]},
            {},
            OLD.format(field),
        )
        for field in FIELDS
    },
    "the CRD of MyResource": ({"crds": [NEW, OURS]}, WITHOUT_CRD, ""),
    "no CRD of MyResource": (
        {"crds": [NEW]},
        WITHOUT_CRD,
        "set crds.enabled to true, or apply the directory crds/ first",
    ),
    "an older Kubernetes": ({"crds": [NEW], "version": "1.33.9"}, {}, "requires kubeVersion: >=1.34.0-0"),
    "a provider": ({"crds": [NEW], "version": "1.34.1-gke.7"}, {}, ""),
    "a watched kind": ({"crds": [NEW], "backups": True}, WATCHES, ""),
    "no watched kind": (
        {"crds": [NEW]},
        WATCHES,
        "watch.dependencies[0] is example.com/v1/MyBackup, which the cluster does not serve: install its CRD first, or",
    ),
    "no Gateway API": (
        {"crds": [NEW]},
        {"expose": {"gateway": True}},
        "expose.gateway is true and the cluster does not serve gateway.networking.k8s.io/v1/HTTPRoute",
    ),
    **{kind: ({"crds": [NEW, OURS, crd(f"{name}.{GROUP}")]}, monitored(kind), "") for kind, name in MONITORS.items()},
    **{
        f"no {kind}": (
            {"crds": [NEW, OURS]},
            monitored(kind),
            f"metrics.{kind}.enabled is true and the CRD {name}.{GROUP} is not installed",
        )
        for kind, name in MONITORS.items()
    },
}
"""A cluster, values, and what the error says; nothing if there is none."""


@pytest.mark.parametrize(("there", "values", "said"), CASES.values(), ids=CASES)
def test_what_the_cluster_lacks_is_an_error_that_names_the_remedy(there: Json, values: Json, said: str) -> None:
    with cluster(**there) as address:
        output = installing(address, values)

    assert said in output
    assert (output == "") is (said == "")


@pytest.mark.parametrize(
    ("version", "image", "refused"),
    [
        ("9.0.0-dev.0", {}, True),
        ("9.0.0-dev.0", {"tag": "9.0.0-dev.0.g0123abcd"}, False),
        ("9.0.0-dev.0", {"digest": "sha256:" + "0" * 64}, False),
        ("9.0.0-dev.0.g0123abcd", {}, False),  # the package of make release
        ("9.0.0", {}, False),
    ],
)
def test_between_releases_the_image_of_a_commit_must_be_named(
    version: str, image: Json, *, refused: bool, tmp_path: Path
) -> None:
    chart = shutil.copytree(CHART, tmp_path / CHART.name)
    text = (chart / "Chart.yaml").read_text()
    (chart / "Chart.yaml").write_text(re.sub("(?m)^appVersion: .*$", f"appVersion: {version}", text))

    with cluster(crds=[NEW]) as address:
        output = installing(address, {"image": image}, chart)

    assert ("set image.tag to the one that you built" in output) is refused
    assert (output != "") is refused
