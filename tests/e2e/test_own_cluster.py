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


def typed(configuration: Path, *more: str, context: str = "it") -> tuple[int, str]:
    """Run ``make own``, and return its exit code and output."""
    command = [sys.executable, "-m", "pytest", "-m", "own", "tests/own/test_life.py", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "--context", context, *more],
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


def test_make_own_fails_if_a_myresource_does_not_become_ready(configuration: Path) -> None:
    code, said = typed(configuration, "--image", "nginx:bad", "--patience", "3", "-k", "gets_ready")

    assert code == 1
    assert "not Available within 3.0 s" in said
    assert "ImagePullFailed" in said


def test_make_own_requires_a_context(configuration: Path) -> None:
    code, said = typed(configuration, context="")

    assert code == 2
    assert "make own CONTEXT=NAME" in said


def test_make_own_reports_an_unknown_context(configuration: Path) -> None:
    code, said = typed(configuration, context="nowhere")

    assert code == 2
    assert "nowhere" in said
