"""The commands of docs/apps/kubectl-plugin.md with a kubectl that prints what was recorded; e2e has the real one."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.plugin.recorded import kubectl, path_with
from tests.docs.commands import commands
from tests.docs.documents import ROOT, Console, consoles
from toolkit.programs import find_or_skip

BLOCKS = consoles("docs/apps/kubectl-plugin.md")


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_command_of_the_page_prints_what_the_page_says(block: Console, tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": path_with(kubectl(tmp_path))}
    ended = subprocess.run(  # noqa: S602 - a document's command
        block.command, shell=True, env=environment, capture_output=True, text=True, check=True
    )

    assert ended.stdout == block.output
    assert ended.stderr == ""


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
    for arguments in ("simulate --scenario demo --brief", f"render -f {ROOT}/examples/web.yaml", "crd"):
        subprocess.run([tmp_path / "bin/myresource", *arguments.split()], cwd=tmp_path, check=True)
