"""The actions for GitHub and the hook of pre-commit, which run the commands of this checkout, and metahook's image."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.docs.documents import ROOT

ACTIONS = ROOT / ".github/actions"
GIVEN = {
    "paths": "app\nsome where\n",
    "manifests": "crd.yaml\na controller.yaml\n",
    "files": "hi.yaml",
    "hook": "http://localhost:3000/$(echo no)",
}


def run_step(action: str, name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a step of *action* in *folder*, as hosted CI does, with the inputs GIVEN."""
    content = yaml.safe_load((ACTIONS / action / "action.yml").read_text())
    (step,) = [step for step in content["runs"]["steps"] if step["name"] == name]
    given = {f"inputs.{key}": value for key, value in GIVEN.items()}  # and the place of the action
    environment = {
        key: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: given.get(found[1], str(ACTIONS / action)), value)
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

    ended = run_step("check", "Check the hook", tmp_path)

    source, *arguments = ended.stdout.splitlines()
    assert (ended.returncode, ended.stderr) == (0, "")
    assert Path(source).resolve() == ROOT / "metahook/src"
    assert arguments == [
        *("-m", "metahook.cli", "check", "--hook", GIVEN["hook"]),
        *("-k", "crd.yaml", "-k", "a controller.yaml", "-f", "hi.yaml"),
    ]


MY_RESOURCE = (ROOT / "examples/web.yaml").read_text()
REPOSITORY = {
    "app/good.yaml": MY_RESOURCE,
    "app/bad.yaml": MY_RESOURCE.replace("64Mi", "64MB"),
    "app/chart/Chart.yaml": "name: app\n",
    "app/chart/values.yaml": "memory: 64Mi\n",
    "app/chart/templates/web.yaml": MY_RESOURCE.replace("64Mi", "{{ .Values.memory }}"),
    "app/kustomization.yaml": "resources: [good.yaml]\npatches: [{path: patch.yaml}]\n",
    "app/patch.yaml": MY_RESOURCE.replace("image: nginx:1.27", "replicas: 3"),
    "some where/config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
}
WRONG = 'Invalid value: "64MB": must be a whole number of bytes above 0, such as 128Mi or 1.5Gi'


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name, text in REPOSITORY.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_action_annotates_the_line_of_a_wrong_myresource(repository: Path) -> None:
    python = repository / "myresource/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    ended = run_step("validate", "Check the MyResources", repository)

    message = f"MyResource web: spec.memory: {WRONG}"
    assert (ended.returncode, ended.stdout) == (1, f"::error file=app/bad.yaml,line=9::{message}\n")


def test_the_hook_of_pre_commit_fails_for_a_wrong_myresource_among_other_files(repository: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    command = [str(Path(sys.executable).parent / hook["entry"].split()[0]), *hook["entry"].split()[1:], *REPOSITORY]
    ended, without = (
        subprocess.run(files, cwd=repository, capture_output=True, text=True, check=False)
        for files in (command, [each for each in command if each != "app/bad.yaml"])
    )

    assert (ended.returncode, ended.stdout) == (1, f"app/bad.yaml:9: MyResource web: spec.memory: {WRONG}\n")
    assert (without.returncode, without.stdout) == (0, "")


@pytest.mark.tools
@pytest.mark.parametrize(
    ("action", "program", "module"), [("check", "metahook", "metahook.cli"), ("validate", "myresource", "app")]
)
def test_an_action_installs_what_its_command_needs(tmp_path: Path, action: str, program: str, module: str) -> None:
    ended = run_step(action, f"Install {program}", tmp_path)
    assert ended.returncode == 0, ended.stderr

    command = [str(tmp_path / program / "bin/python"), "-m", module, "--version"]
    told = subprocess.run(
        command, cwd=ROOT, env={"PYTHONPATH": "metahook/src:."}, capture_output=True, text=True, check=True
    )

    assert told.stdout.startswith(f"{program}, version ")


def test_the_image_has_the_command_and_nothing_but_locked_packages() -> None:
    text = (ROOT / "metahook/Dockerfile").read_text()
    (base,) = re.findall(r"^FROM (\S+)", text, re.MULTILINE)
    (base_of_the_operator,) = re.findall(r"^ARG BUILD_BASE=(\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    installs = re.findall(r"-m pip install(?:.*\\\n)*.*", text)

    assert base == base_of_the_operator
    assert [("--require-hashes --only-binary :all:" in each, "cli.txt" in each) for each in installs] == [(True, True)]
    assert re.findall(r"^COPY (\S+)", text, re.MULTILINE) == ["requirements/cli.txt", "src/metahook"]
