"""The chart and the manifests of a release, installed on a real control plane."""

from collections.abc import Iterator

import pytest

from metahook.envtest.binaries import missing_binaries
from metahook.simulator.metacontroller.settings import MODES
from tests.e2e.bare_cluster import BareCluster, running
from tests.e2e.namespace import Namespace
from tests.release.conftest import Built

pytestmark = [pytest.mark.tools, pytest.mark.skipif(bool(missing_binaries()), reason=missing_binaries())]

OPERATOR = "myresource-operator"


@pytest.fixture(name="bare", scope="module")
def _bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BareCluster]:
    """Return a cluster with Metacontroller."""
    with running(MODES[-1], tmp_path_factory.mktemp("release")) as bare:
        yield bare


def check(bare: BareCluster, built: Built) -> None:
    """Check that a MyResource becomes Ready and that the hook's Pods have the image of the release, and delete it."""
    bare.cluster.control_plane.controllers.restart()  # the controllers would discover the kind late
    here = Namespace(bare.cluster, "default")
    here.ready()
    pods = here.client.all("Pod", OPERATOR)
    images = {container["image"] for pod in pods for container in pod["spec"]["containers"]}
    here.close_myresources()

    assert [image.removeprefix(built.image)[:1] in (":", "@") for image in images] == [True]


def test_the_chart_package_installs(bare: BareCluster, built: Built) -> None:
    package = built.file("myresource-operator-*.tgz").name
    release = f"--namespace {OPERATOR}"

    bare.shell(built.folder).run(f"helm install {OPERATOR} {package} {release} --create-namespace --wait")
    check(bare, built)
    bare.shell().run(f"helm uninstall {OPERATOR} {release} --wait")


def test_the_manifests_install(bare: BareCluster, built: Built) -> None:
    built.file("install.yaml")

    bare.shell(built.folder).run("kubectl apply --server-side -f install.yaml")

    check(bare, built)
