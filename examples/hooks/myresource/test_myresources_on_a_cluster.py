"""The life of a MyResource on a real control plane: with the hook, and with the reconciler in Go."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest
from life import LIFE, Event, deployment, my_resource, seen
from myresources import MYRESOURCES

from metahook import Manifest
from metahook.envtest import Cluster, missing_binaries
from metahook.simulator.objects import reference_to

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(bool(missing_binaries()), reason=missing_binaries())]

HERE = Path(__file__).parent
CRD, COMPOSITE = HERE / "crd.yaml", HERE / "compositecontroller.yaml"
READY: Manifest = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}


class Stage:
    """A stage on a control plane that has no kubelet. *count_errors* returns how many calls have failed so far."""

    def __init__(self, cluster: Cluster, count_errors: Callable[[], int]) -> None:
        self.cluster = cluster
        self._count_errors = count_errors
        self._errors = 0

    def apply(self, manifest: Manifest) -> None:
        self.cluster.apply(manifest)

    def delete(self, kind: str, name: str) -> None:
        self.cluster.delete(kind, name)

    def start_pods(self) -> None:
        self.cluster.wait_for(self._has_started_pods, "all Deployments are available")

    def _has_started_pods(self) -> bool:
        for pod in self.cluster.list("Pod"):
            if pod["status"].get("phase") != "Running":
                self.cluster.patch("Pod", pod["metadata"]["name"], READY, part="/status")
        statuses = [each.get("status", {}) for each in self.cluster.list("Deployment")]
        return all(status.get("availableReplicas") == 1 for status in statuses)

    def labels(self) -> dict[str, str]:
        found: dict[str, str] = (self.cluster.get("Deployment", "web") or {})["metadata"]["labels"]
        return found

    def sees(self) -> str:
        has_error = self._count_errors() > self._errors
        return seen(self.cluster.get("MyResource", "web"), self.cluster.list("Deployment"), has_error=has_error)

    def check(self, event: Event, expected: str) -> None:
        """Let *event* happen; what is *expected* then exists, and stays."""
        self._errors = self._count_errors()
        event.happen(self)
        self.cluster.wait_for(lambda: self.sees() == expected, f"{event.name}: {expected}")
        time.sleep(2)

        assert self.sees() == expected, event.name


@pytest.mark.parametrize("apply_strategy", ["dynamic-apply", "server-side-apply"])
def test_the_life_of_a_myresource_with_the_hook(
    apply_strategy: Literal["dynamic-apply", "server-side-apply"], tmp_path: Path
) -> None:
    with Cluster(tmp_path, apply_strategy=apply_strategy) as cluster:
        cluster.install(MYRESOURCES, CRD, COMPOSITE)
        stage = Stage(cluster, lambda: sum(event["reason"] == "SyncError" for event in cluster.list("Event")))

        for event in LIFE:
            stage.check(event, event.hook)


@contextmanager
def reconciler(kubeconfig: Path, folder: Path) -> Iterator[Callable[[], int]]:
    """Build the reconciler in Go and run it; yield how often it has found more than one Deployment."""
    program, log = folder / "myresource", folder / "myresource.log"
    subprocess.run(["go", "build", "-o", program, "."], cwd=HERE / "go", check=True)  # noqa: S603, S607 - it builds this folder
    environment = {**os.environ, "KUBECONFIG": str(kubeconfig)}
    with log.open("wb") as written, subprocess.Popen([program], env=environment, stderr=written) as process:  # noqa: S603 - built above
        try:
            yield lambda: log.read_text().count("Deployments have the label")
        finally:
            process.terminate()


def status(cluster: Cluster, name: str) -> Manifest:
    """Return the status of a MyResource."""
    found: Manifest = (cluster.get("MyResource", name) or {}).get("status", {})
    return found


@pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed")
def test_the_life_of_a_myresource_with_the_reconciler_and_the_hook_takes_over(tmp_path: Path) -> None:
    with Cluster(tmp_path) as cluster:
        cluster.install(MYRESOURCES, CRD)  # without a CompositeController, nothing calls the hook
        with reconciler(cluster.kubeconfig, tmp_path) as count_errors:
            stage = Stage(cluster, count_errors)
            for event in LIFE:
                stage.check(event, event.go)
            cluster.delete("Deployment", "other")
            for event in LIFE[:2]:
                stage.check(event, event.go)

        left = cluster.get("Deployment", "web") or {}
        uid = (cluster.get("MyResource", "web") or {})["metadata"]["uid"]
        cluster.patch("Deployment", "web", {"metadata": {"labels": {"controller-uid": uid}}})
        loose = cluster.apply({**my_resource("nginx:1.27"), "metadata": {"name": "loose"}})
        cluster.apply(deployment("loose", "nginx:1.27", ownerReferences=[reference_to(loose)]))  # without the label
        cluster.install(MYRESOURCES, COMPOSITE)
        cluster.wait_for(lambda: "observedGeneration" in status(cluster, "web"), "the hook's status of web")
        cluster.wait_for(lambda: "observedGeneration" in status(cluster, "loose"), "the hook's status of loose")

        taken_over = "Ready: web nginx:1.27, loose nginx:1.27"
        cluster.wait_for(lambda: stage.sees() == taken_over, taken_over)
        assert status(cluster, "loose")["state"] == "Building"
        assert "ownerReferences" not in (cluster.get("Deployment", "loose") or {})["metadata"]
        found = cluster.get("Deployment", "web") or {}
        assert (found["metadata"]["uid"], found["spec"]) == (left["metadata"]["uid"], left["spec"])
