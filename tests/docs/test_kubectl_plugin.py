"""The commands of docs/apps/kubectl-plugin.md that install the plugin."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.docs.commands import commands
from tests.docs.documents import ROOT
from toolkit.programs import find_or_skip


@pytest.mark.tools
def test_pipx_installs_the_plugin_and_the_whole_command_line(tmp_path: Path) -> None:
    find_or_skip("pipx")
    environment = {**os.environ, "PIPX_HOME": f"{tmp_path}/home", "PIPX_BIN_DIR": f"{tmp_path}/bin"}
    installing = [command for command in commands("docs/apps/kubectl-plugin.md") if command.startswith("pipx ")]
    assert len(installing) == 2

    for again in ("", " --force"):
        for command in installing:
            subprocess.run(command + again, shell=True, cwd=ROOT, env=environment, check=True)  # noqa: S602 - a document's command

    assert {program.name for program in (tmp_path / "bin").iterdir()} == {
        "kubectl-myresource",
        "kubectl_complete-myresource",
        "myresource",
    }
    for arguments in ("simulate --scenario demo", f"render -f {ROOT}/examples/web.yaml", "crd"):
        subprocess.run([tmp_path / "bin/myresource", *arguments.split()], cwd=tmp_path, check=True)
