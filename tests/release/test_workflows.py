"""The workflows of the hosted CI run targets that exist, with pinned actions and the least permissions."""

import re
import subprocess

import pytest
import yaml

from tests.documents import ROOT
from tests.programs import find_or_skip

FILES = sorted((ROOT / ".github/workflows").glob("*.yml"))
TEXTS = {file.name: file.read_text() for file in FILES}
CI = yaml.safe_load(TEXTS["ci.yml"])


def unknown_targets(text: str) -> set[str]:
    """Return the targets of ``make`` in *text* that the Makefile does not have."""
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    return set(re.findall(r"\b(?:make |target: )([a-z][a-z0-9-]*)", re.sub("#.*", "", text))) - targets


def unpinned(text: str) -> list[str]:
    """Return the actions in *text* that are not named by a commit, with its version in a comment."""
    used = re.findall(r"uses: (.*)$", text, re.MULTILINE)
    return [each for each in used if not re.fullmatch(r"\./\S+|[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)]


@pytest.mark.parametrize("name", TEXTS)
def test_a_workflow_runs_targets_that_the_makefile_has(name: str) -> None:
    assert unknown_targets(TEXTS[name]) == set()


@pytest.mark.parametrize("name", TEXTS)
def test_a_workflow_pins_its_actions_by_commit(name: str) -> None:
    assert unpinned(TEXTS[name]) == []


@pytest.mark.parametrize("name", TEXTS)
def test_a_workflow_can_only_read_and_a_job_names_what_else_it_needs(name: str) -> None:
    assert yaml.safe_load(TEXTS[name])["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("name", TEXTS)
def test_a_pipe_fails_if_one_of_its_commands_does(name: str) -> None:
    assert yaml.safe_load(TEXTS[name])["defaults"] == {"run": {"shell": "bash"}}


def test_an_unknown_target_and_an_unpinned_action_would_be_found() -> None:
    assert unknown_targets("run: make no-such-target") == {"no-such-target"}
    assert unknown_targets("- {target: another}") == {"another"}
    assert unpinned("uses: actions/checkout@v7\n") == ["actions/checkout@v7"]


def test_the_job_that_publishes_runs_nothing_of_the_repository() -> None:
    publish = yaml.safe_load(TEXTS["release.yml"])["jobs"]["publish"]
    commands = " ".join(step.get("run", "") for step in publish["steps"])

    assert not re.search(r"\b(make|python|pip)\b", commands)


def promised() -> tuple[str, list[str]]:
    """Return the least version of Kubernetes in docs/upgrade.md, and the tested ones in its table."""
    section = (ROOT / "docs/upgrade.md").read_text().partition("## Tested versions")[2].partition("\n## ")[0]
    (least,) = re.findall(r"Kubernetes (\d+\.\d+) and later", section)
    return least, re.findall(r"^\| (\d+\.\d+) \|", section, re.MULTILINE)


def test_the_least_version_of_the_page_is_that_of_the_chart() -> None:
    chart = yaml.safe_load((ROOT / "charts/myresource-operator/Chart.yaml").read_text())

    assert chart["kubeVersion"] == f">={promised()[0]}.0-0"


def test_the_hosted_ci_tests_the_least_version_and_every_version_of_the_table() -> None:
    least, tested = promised()
    matrix: list[str] = CI["jobs"]["e2e"]["strategy"]["matrix"]["kubernetes"]

    assert tested
    assert {least, *tested} <= set(matrix)


@pytest.mark.tools
def test_actionlint_accepts_the_workflows() -> None:
    subprocess.run([find_or_skip("actionlint"), "-no-color"], cwd=ROOT, check=True)


@pytest.mark.tools
def test_actionlint_rejects_a_mistake() -> None:
    mistaken = TEXTS["ci.yml"].replace("${{ matrix.kubernetes }}", "${{ matrix.minor }}")
    command = [find_or_skip("actionlint"), "-no-color", "-stdin-filename", ".github/workflows/ci.yml", "-"]
    ended = subprocess.run(command, cwd=ROOT, input=mistaken, capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert 'property "minor" is not defined' in ended.stdout
