"""The checks of the cluster before an installation, and their error messages."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from charts.rendering import CHART
from tests.chart.cluster import NAME, NEW, OURS, cluster, crd, installing
from tests.chart.sets import Json


@pytest.fixture(name="address")
def _address(request: pytest.FixtureRequest) -> Iterator[str]:
    with cluster(crds=request.param) as address:
        yield address


@pytest.mark.parametrize("address", [[NEW]], indirect=True, ids=["there"])
def test_an_installation_is_accepted_if_metacontroller_is_installed(address: str) -> None:
    assert installing(address) == ""


@pytest.mark.parametrize("address", [[]], indirect=True, ids=["absent"])
def test_a_missing_metacontroller_crd_is_an_error_that_names_the_remedy(address: str) -> None:
    output = installing(address)

    assert f"CRD {NAME} of Metacontroller is not installed" in output
    assert "install Metacontroller 4.17.2 or later first" in output


@pytest.mark.parametrize(
    ("address", "field"),
    [
        ([crd(NAME, "ignoreStatusChanges", "responseUnMarshallMode")], "endpointConfigs"),
        ([crd(NAME, "responseUnMarshallMode", "endpointConfigs")], "ignoreStatusChanges"),
        ([crd(NAME)], "ignoreStatusChanges"),
    ],
    indirect=["address"],
    ids=["of 4.15", "without a field that is used", "very old"],
)
def test_an_outdated_metacontroller_crd_is_an_error_that_names_the_remedy(address: str, field: str) -> None:
    output = installing(address)

    assert f"is too old, it has no field {field}" in output
    assert "apply the CRDs of Metacontroller 4.17.2 or later" in output


@pytest.mark.parametrize("address", [[]], indirect=True, ids=["absent"])
def test_the_check_can_be_disabled(address: str) -> None:
    assert installing(address, {"metacontroller": {"check": False}}) == ""


@pytest.mark.parametrize(
    ("address", "refused"), [([NEW], True), ([NEW, OURS], False)], indirect=["address"], ids=["absent", "there"]
)
def test_without_crds_enabled_the_crd_must_be_installed(address: str, refused: bool) -> None:  # noqa: FBT001 - a parameter of the test
    output = installing(address, {"crds": {"enabled": False}})

    assert ("set crds.enabled to true, or apply the directory crds/ first" in output) is refused
    assert (output != "") is refused


@pytest.mark.parametrize(("version", "refused"), [("1.33.9", True), ("1.34.0", False), ("1.34.1-gke.7", False)])
def test_an_older_kubernetes_is_refused(version: str, refused: bool) -> None:  # noqa: FBT001 - a parameter of the test
    with cluster(version, crds=[NEW]) as address:
        output = installing(address)

    assert ("requires kubeVersion: >=1.34.0-0" in output) is refused


WATCHES = {"watch": {"dependencies": [{"apiVersion": "example.com/v1", "resource": "mybackups", "kind": "MyBackup"}]}}


def test_a_watched_kind_must_be_served_by_the_cluster() -> None:
    with cluster(crds=[NEW]) as address:
        output = installing(address, WATCHES)

    assert "watch.dependencies[0] is example.com/v1/MyBackup, which the cluster does not serve" in output
    assert "install its CRD first, or remove the kind" in output


def test_a_kind_that_the_cluster_serves_is_not_refused() -> None:
    with cluster(crds=[NEW], backups=True) as address:
        assert installing(address, WATCHES) == ""


def test_the_gateway_api_must_be_served_where_it_is_used() -> None:
    with cluster(crds=[NEW]) as address:
        output = installing(address, {"expose": {"gateway": True}})

    assert "expose.gateway is true and the cluster does not serve gateway.networking.k8s.io/v1/HTTPRoute" in output


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
