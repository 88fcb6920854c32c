"""The checks of the cluster before an installation, and their error messages."""

import re
import shutil
from pathlib import Path

import pytest

from charts.rendering import CHART
from tests.chart.cluster import NAME, NEW, OURS, cluster, crd, installing
from tests.chart.sets import Json

OLD = "apply the CRDs of Metacontroller 4.17.2 or later"
WATCHES = {"watch": {"dependencies": [{"apiVersion": "example.com/v1", "resource": "mybackups", "kind": "MyBackup"}]}}
GROUP = "monitoring.coreos.com"
MONITORS = {"serviceMonitor": "servicemonitors", "podMonitor": "podmonitors", "rules": "prometheusrules"}


def monitored(kind: str) -> Json:
    """Return the values that enable an object of the Prometheus operator."""
    metrics = {"service": {"enabled": True}, kind: {"enabled": True}}
    return {"crds": {"enabled": False}, "networkPolicy": {"enabled": False}, "metrics": metrics}


LACKS: dict[str, tuple[Json, Json, tuple[str, ...]]] = {
    "no Metacontroller": (
        {"crds": []},
        {},
        (f"CRD {NAME} of Metacontroller is not installed", "install Metacontroller 4.17.2 or later first"),
    ),
    **{
        name: ({"crds": [crd(NAME, *fields)]}, {}, (f"is too old, it has no field {lacks}", OLD))
        for name, fields, lacks in (
            ("of 4.15", ("ignoreStatusChanges", "responseUnMarshallMode"), "endpointConfigs"),
            ("without a field that is used", ("responseUnMarshallMode", "endpointConfigs"), "ignoreStatusChanges"),
            ("very old", (), "ignoreStatusChanges"),
        )
    },
    "no CRD of MyResource": (
        {"crds": [NEW]},
        {"crds": {"enabled": False}},
        ("set crds.enabled to true, or apply the directory crds/ first",),
    ),
    "an older Kubernetes": ({"crds": [NEW], "version": "1.33.9"}, {}, ("requires kubeVersion: >=1.34.0-0",)),
    "no watched kind": (
        {"crds": [NEW]},
        WATCHES,
        (
            "watch.dependencies[0] is example.com/v1/MyBackup, which the cluster does not serve",
            "install its CRD first, or remove the kind",
        ),
    ),
    "no Gateway API": (
        {"crds": [NEW]},
        {"expose": {"gateway": True}},
        ("expose.gateway is true and the cluster does not serve gateway.networking.k8s.io/v1/HTTPRoute",),
    ),
    **{
        f"no {plural}": (
            {"crds": [NEW, OURS]},
            monitored(kind),
            (f"metrics.{kind}.enabled is true and the CRD {plural}.{GROUP} is not installed",),
        )
        for kind, plural in MONITORS.items()
    },
}


@pytest.mark.parametrize(("there", "values", "words"), LACKS.values(), ids=LACKS)
def test_what_the_cluster_lacks_is_an_error_that_names_the_remedy(
    there: Json, values: Json, words: tuple[str, ...]
) -> None:
    with cluster(**there) as address:
        output = installing(address, values)

    assert [each for each in words if each not in output] == []


@pytest.mark.parametrize(
    ("there", "values"),
    [
        ({"crds": [NEW]}, {}),
        ({"crds": []}, {"metacontroller": {"check": False}}),
        ({"crds": [NEW, OURS]}, {"crds": {"enabled": False}}),
        ({"crds": [NEW], "version": "1.34.1-gke.7"}, {}),
        ({"crds": [NEW], "backups": True}, WATCHES),
        *(({"crds": [NEW, OURS, crd(f"{plural}.{GROUP}")]}, monitored(kind)) for kind, plural in MONITORS.items()),
    ],
    ids=["Metacontroller", "no check", "the CRD of MyResource", "a provider", "a watched kind", *MONITORS],
)
def test_a_cluster_that_has_it_is_accepted(there: Json, values: Json) -> None:
    with cluster(**there) as address:
        assert installing(address, values) == ""


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
    version: str,
    image: Json,
    refused: bool,  # noqa: FBT001 - a parameter of the test
    tmp_path: Path,
) -> None:
    chart = shutil.copytree(CHART, tmp_path / CHART.name)
    text = (chart / "Chart.yaml").read_text()
    (chart / "Chart.yaml").write_text(re.sub("(?m)^appVersion: .*$", f"appVersion: {version}", text))

    with cluster(crds=[NEW]) as address:
        output = installing(address, {"image": image}, chart)

    assert ("set image.tag to the one that you built" in output) is refused
    assert (output != "") is refused
