"""The action for GitHub, which checks a hook with the command of this checkout, and the image with that command."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.documents import ROOT

FOLDER = ROOT / ".github/actions/check"
ACTION: dict[str, Any] = yaml.safe_load((FOLDER / "action.yml").read_text())
GIVEN = {"manifests": "crd.yaml\na controller.yaml\n", "files": "hi.yaml", "hook": "http://localhost:3000/$(echo no)"}


def run_step(name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a step of the action in *folder*, as hosted CI does, with the inputs GIVEN."""
    (step,) = [step for step in ACTION["runs"]["steps"] if step["name"] == name]
    given = {f"inputs.{key}": value for key, value in GIVEN.items()}  # and the place of the action
    environment = {
        key: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: given.get(found[1], str(FOLDER)), value)
        for key, value in step["env"].items()
    }
    return subprocess.run(
        ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**os.environ, **environment, "RUNNER_TEMP": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_inputs_of_the_action_are_arguments_of_the_command(tmp_path: Path) -> None:
    python = tmp_path / "metahook/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$PYTHONPATH\" \"$@\"; exec {sys.executable} -c 'import metahook'\n")
    python.chmod(0o755)

    ended = run_step("Check the hook", tmp_path)

    source, *arguments = ended.stdout.splitlines()
    assert (ended.returncode, ended.stderr) == (0, "")
    assert Path(source).resolve() == ROOT / "metahook/src"
    assert arguments == [
        *("-m", "metahook.cli", "check", "--hook", GIVEN["hook"]),
        *("-k", "crd.yaml", "-k", "a controller.yaml", "-f", "hi.yaml"),
    ]


@pytest.mark.tools
def test_the_action_installs_what_the_command_needs(tmp_path: Path) -> None:
    ended = run_step("Install metahook", tmp_path)
    assert ended.returncode == 0, ended.stderr

    command = [str(tmp_path / "metahook/bin/python"), "-m", "metahook.cli", "--version"]
    shown = subprocess.run(
        command, env={"PYTHONPATH": str(ROOT / "metahook/src")}, capture_output=True, text=True, check=True
    )

    assert shown.stdout.startswith("metahook, version ")


def test_the_image_has_the_command_and_nothing_but_locked_packages() -> None:
    text = (ROOT / "metahook/Dockerfile").read_text()
    (base,) = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    (base_of_the_operator,) = re.findall(r"^ARG BUILD_BASE=(\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    installs = re.findall(r"-m pip install(?:.*\\\n)*.*", text)

    assert base == base_of_the_operator
    assert [("--require-hashes --only-binary :all:" in each, "cli.txt" in each) for each in installs] == [(True, True)]
    assert re.findall(r"^COPY (\S+)", text, re.MULTILINE) == ["requirements/cli.txt", "src/metahook"]
