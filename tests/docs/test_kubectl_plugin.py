"""The commands of docs/kubectl-plugin.md, with a kubectl that prints what is recorded; make e2e runs the real one."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.plugin.recorded import kubectl, path_with
from tests.docs.documents import Console, consoles

BLOCKS = consoles("docs/kubectl-plugin.md")


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_command_of_the_page_prints_what_the_page_says(block: Console, tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": path_with(kubectl(tmp_path))}
    ended = subprocess.run(  # noqa: S602 - a document's command
        block.command, shell=True, env=environment, capture_output=True, text=True, check=True
    )

    assert ended.stdout == block.output
    assert ended.stderr == ""
