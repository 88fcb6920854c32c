"""``make cluster-down`` deletes the folder of a node, and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

from tests.documents import ROOT


def test_a_folder_with_files_of_others_is_not_deleted(tmp_path: Path) -> None:
    (tmp_path / "letter").touch()
    environment = {**os.environ, "NODE_DIR": str(tmp_path)}

    subprocess.run([sys.executable, "-m", "tests.node", "down"], cwd=ROOT, env=environment, check=True)

    assert [file.name for file in tmp_path.iterdir()] == ["letter"]


def test_a_new_node_takes_no_folder_with_files_of_others(tmp_path: Path) -> None:
    (tmp_path / "letter").touch()
    environment = {**os.environ, "NODE_DIR": str(tmp_path)}
    code = "from tests.node import machine; machine.prepare()"

    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, check=False)

    assert b"is not empty" in ended.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["letter"]
