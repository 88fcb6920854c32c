"""Runs the commands of docs/contributing/testing.md for the reader's own cluster in the cluster of the tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from metahook.envtest.process import Process
from tests.e2e.cluster import Cluster
from tests.e2e.installed import ROOT
from tests.e2e.real_kubectl import require_kubectl


@pytest.fixture
def configuration(cluster: Cluster, metacontroller: Process) -> Path:
    """Return a kubeconfig for the cluster, in which Metacontroller runs."""
    del metacontroller
    require_kubectl()
    return cluster.control_plane.kubeconfig("admin")


def typed(configuration: Path) -> tuple[int, str]:
    """Run ``make own``, and return its exit code and output."""
    command = [sys.executable, "-m", "pytest", "-m", "own", "tests/own/test_life.py", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "--context", "it"],
        cwd=ROOT,
        env={**os.environ, "KUBECONFIG": str(configuration)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_make_own_passes_in_this_cluster(configuration: Path, cluster: Cluster) -> None:
    code, said = typed(configuration)

    assert code == 0, said
    assert "7 passed" in said
    left = [item for item in cluster.client.all("Namespace") if item["metadata"]["name"].startswith("myresource-test-")]
    assert [item for item in left if not item["metadata"].get("deletionTimestamp")] == []
