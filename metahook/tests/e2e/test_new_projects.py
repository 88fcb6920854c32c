"""Projects of ``metahook new`` on a real control plane: their CRDs, controllers and manifests are accepted and work."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml

from metahook.envtest import Cluster
from metahook.simulator import Key
from toolkit.cli.command import call
from toolkit.cli.projects import PROJECTS, controller_of


@pytest.fixture(name="cluster", scope="module", params=["dynamic-apply", "server-side-apply"])
def _cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    strategy: Literal["dynamic-apply", "server-side-apply"] = request.param
    with Cluster(tmp_path_factory.mktemp("cluster"), apply_strategy=strategy) as cluster:
        yield cluster


def example_of(folder: Path) -> dict[str, Any]:
    """Return the example, without Pods: no kubelet runs any here."""
    example: dict[str, Any] = yaml.safe_load((folder / "example.yaml").read_text())
    if "replicas" in example["spec"]:
        example["spec"]["replicas"] = 0
    return example


def children_of(folder: Path) -> list[Key]:
    """Return the keys that the test of the project expects."""
    lines = (folder / "test_hook.py").read_text().partition("CHILDREN = ")[2].partition("\n\n")[0]
    found: list[Key] = eval(lines, {"Key": Key})  # noqa: S307 - written by metahook new
    return found


def is_ready(cluster: Cluster, kind: str, name: str) -> bool:
    conditions = (cluster.get(kind, name) or {}).get("status", {}).get("conditions") or []
    return [(each["type"], each["status"]) for each in conditions] == [("Ready", "True")]


@pytest.mark.parametrize("name", PROJECTS)
def test_the_children_of_a_project_are_created(cluster: Cluster, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "project"
    assert call("new", *PROJECTS[name], "-o", str(folder)).code == 0
    controller, example = controller_of(folder), example_of(folder)
    files = [file for file in (folder / "crd.yaml", folder / "controller.yaml") if file.exists()]

    cluster.install(controller, *files)
    cluster.apply(example)

    for child in children_of(folder):
        cluster.wait_for(lambda child=child: cluster.get(child.kind, child.name, child.namespace), str(child))  # type: ignore[misc]
    if "crd.yaml" in [file.name for file in files]:
        kind, own = f"{example['kind']}.example.com", example["metadata"]["name"]
        cluster.wait_for(lambda: is_ready(cluster, kind, own), f"{kind} {own} is Ready")
    if "--finalize" in PROJECTS[name]:
        check_finalized(cluster, example, children_of(folder))


def check_finalized(cluster: Cluster, example: dict[str, Any], children: list[Key]) -> None:
    """The *example* goes after it is deleted, with its *children*."""
    kind, own = example["kind"], example["metadata"]["name"]

    cluster.delete(kind, own)

    cluster.wait_for(lambda: cluster.get(kind, own) is None, f"{kind} {own} is gone")
    assert not [str(key) for key in children if cluster.get(key.kind, key.name, key.namespace)]


def test_the_manifests_that_run_a_project_are_accepted(cluster: Cluster, tmp_path: Path) -> None:
    assert call("new", *PROJECTS["a site"], "-o", str(tmp_path / "project")).code == 0
    items = [
        yaml.safe_load(file.read_text())
        for file in sorted((tmp_path / "project/deploy").glob("[!k]*.yaml"), key=lambda file: file.stem != "namespace")
    ]

    for item in items:
        cluster.client.apply(item)

    assert {item["kind"] for item in items} == {
        "Deployment",
        "Namespace",
        "NetworkPolicy",
        "PodDisruptionBudget",
        "Service",
    }
