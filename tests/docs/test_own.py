"""``make own`` ends at once, with a message, unless its context names a cluster."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.documents import ROOT
from tests.e2e.real_kubectl import require_kubectl


@pytest.mark.parametrize(("context", "said"), [("", "make own CONTEXT=NAME"), ("nowhere", '"nowhere" does not exist')])
def test_it_says_that_no_cluster_or_an_unknown_one_is_named(context: str, said: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-m", "own", "tests/own/test_life.py", "-p", "no:cacheprovider"]
    environment = {
        **os.environ,
        "KUBECONFIG": str(tmp_path / "none"),
        "PATH": require_kubectl() if context else os.environ["PATH"],
    }

    done = subprocess.run(
        [*command, "--context", context], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert said in done.stdout + done.stderr
