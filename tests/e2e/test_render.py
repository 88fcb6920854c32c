"""The real kubectl reads the output of ``myresource render``: as valid objects, with strings as strings."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from metahook.envtest.binaries import assets
from tests.cli.test_render import QUOTED, UNQUOTED
from tests.docs.documents import ROOT
from tests.e2e.cluster import Cluster
from tests.requests.builders import my_resource

KUBECTL = shutil.which(assets() / "kubectl") or shutil.which("kubectl")
needs_kubectl = pytest.mark.skipif(KUBECTL is None, reason=f"there is no kubectl in {assets()}, and none on PATH")


def rendered(file: Path, *options: str) -> bytes:
    render = [sys.executable, "-m", "app", "render", "-f", str(file), *options]
    return subprocess.run(render, capture_output=True, check=True).stdout


def applied(cluster: Cluster, manifests: bytes) -> list[Any]:
    """Return the objects that kubectl would apply; raise CalledProcessError if it rejects *manifests*."""
    kubectl = [str(KUBECTL), "apply", "--dry-run=client", "-o", "json", "-f", "-"]
    kubectl.append(f"--kubeconfig={cluster.control_plane.kubeconfig('admin')}")
    ended = subprocess.run(kubectl, input=manifests, capture_output=True, check=True)
    assert ended.stderr == b""
    found = json.loads(ended.stdout)
    return list(found["items"]) if found["kind"] == "List" else [found]


@needs_kubectl
@pytest.mark.parametrize("output", ["yaml", "json"])
@pytest.mark.parametrize("example", ["minimal", "web", "full"])
def test_kubectl_applies_what_is_rendered(cluster: Cluster, example: str, output: str) -> None:
    found = applied(cluster, rendered(ROOT / f"examples/{example}.yaml", "-o", output))

    optional = ["HorizontalPodAutoscaler", "Ingress", "PodDisruptionBudget", "Service"] if example == "full" else []
    assert sorted(item["kind"] for item in found) == ["Deployment", *optional]


@pytest.fixture(name="web")
def _web(tmp_path: Path) -> Path:
    file = tmp_path / "web.json"
    file.write_text(json.dumps(my_resource(args=[*QUOTED, *UNQUOTED])))
    return file


@needs_kubectl
def test_text_stays_text_for_kubectl(cluster: Cluster, web: Path) -> None:
    (deployment,) = applied(cluster, rendered(web))

    assert deployment["spec"]["template"]["spec"]["containers"][0]["args"] == [*QUOTED, *UNQUOTED]


@needs_kubectl
def test_text_that_the_yaml_library_alone_writes_becomes_something_else(cluster: Cluster, web: Path) -> None:
    children = json.loads(rendered(web, "-o", "json"))["items"]

    (deployment,) = applied(cluster, yaml.safe_dump_all(children).encode())

    found = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
    assert True in found
    assert 1000 in found


@needs_kubectl
def test_kubectl_refuses_the_whole_response(cluster: Cluster, web: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        applied(cluster, rendered(web, "-o", "response"))
