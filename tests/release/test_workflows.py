"""The workflows of the hosted CI run targets that exist, with pinned actions and the least permissions."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.documents import ROOT
from toolkit.programs import find_or_skip

FILES = sorted((ROOT / ".github/workflows").glob("*.yml"))
TEXTS = {file.name: file.read_text() for file in FILES}
NIGHTLY = yaml.safe_load(TEXTS["nightly.yml"])


def unknown_targets(text: str) -> set[str]:
    """Return the targets of ``make`` in *text* that the Makefile does not have."""
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    return set(re.findall(r"\bmake ([a-z][a-z0-9-]*)", re.sub("#.*", "", text))) - targets


def unknown_paths(text: str) -> set[str]:
    """Return the files and folders that ONLY of ``make`` in *text* names, and that do not exist."""
    named = re.findall(r"\bmake [^\n]*\bONLY=(\"[^\"$]+\"|[\w./*-]+)", text)
    return {path for paths in named for path in paths.strip('"').split() if not (ROOT / path).exists()}


def unpinned(text: str) -> list[str]:
    """Return the actions in *text* that are not named by a commit, with its version in a comment."""
    used = re.findall(r"uses: (.*)$", text, re.MULTILINE)
    return [each for each in used if not re.fullmatch(r"\./\S+|[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)]


def writers(text: str) -> set[str]:
    """Return the jobs of a workflow that may write and still run this repository or its packages."""
    jobs = yaml.safe_load(text)["jobs"]
    commands = {name: "\n".join(step.get("run", "") for step in job.get("steps", ())) for name, job in jobs.items()}
    return {
        name
        for name, job in jobs.items()
        if "write" in job.get("permissions", {}).values()
        and re.search(r"(?m)(^|[|&;(]) *(sudo .*)?(make|python3?|pip|uv)\b", commands[name])
    }


@pytest.mark.parametrize("name", TEXTS)
def test_a_workflow_runs_what_exists_pinned_and_can_only_read_and_its_pipes_fail(name: str) -> None:
    """A job names what else it needs than to read."""
    workflow = yaml.safe_load(TEXTS[name])

    assert unknown_targets(TEXTS[name]) == set()
    assert unknown_paths(TEXTS[name]) == set()
    assert unpinned(TEXTS[name]) == []
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["defaults"] == {"run": {"shell": "bash"}}
    assert writers(TEXTS[name]) == set()


REPLACED = "Refuse to replace a published version"
DIGEST = f"sha256:{'1' * 64}"
NOT_FOUND = "echo 'release not found' >&2; exit 1"


def publishing() -> dict[str, Any]:
    """Return the steps of the job that publishes, by name, in their order."""
    steps = yaml.safe_load(TEXTS["release.yml"])["jobs"]["publish"]["steps"]
    return {step.get("name", step.get("uses")): step for step in steps}


def run_step(name: str, folder: Path, **programs: str) -> tuple[int, str]:
    """Run a step of that job in *folder*, as hosted CI does; return its exit code and output.

    *programs*: scripts by name. They take the place of programs that ask services that no test may ask.
    """
    for program, text in programs.items():
        (folder / program).write_text(f"#!/bin/sh\n{text}\n")
        (folder / program).chmod(0o755)
    environment = {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "GITHUB_REF_NAME": "v1.2.3",
        "GITHUB_REPOSITORY": "owner/name",
        "GITHUB_ENV": str(folder / "env"),
        "REPOSITORY": "registry.example.com",
        "IMAGE_DIGEST": DIGEST,
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", publishing()[name]["run"]]
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("gh", "skopeo", "code"),
    [
        pytest.param(NOT_FOUND, "exit 1", 0, id="new"),
        pytest.param(NOT_FOUND, f"echo {DIGEST}", 0, id="the same image, in a repeated run"),
        pytest.param(NOT_FOUND, "echo sha256:other", 1, id="another image"),
        pytest.param("echo v1.2.3", "exit 1", 1, id="a release"),
        pytest.param("echo 'HTTP 502' >&2; exit 1", "exit 1", 1, id="no answer"),
    ],
)
def test_a_published_version_is_not_replaced(tmp_path: Path, gh: str, skopeo: str, code: int) -> None:
    ended, _ = run_step(REPLACED, tmp_path, gh=gh, skopeo=skopeo)

    assert ended == code


def promised() -> tuple[str, list[str]]:
    """Return the least version of Kubernetes in docs/clusters/upgrade.md, and the tested ones in its table."""
    section = (ROOT / "docs/clusters/upgrade.md").read_text().partition("## Tested versions")[2].partition("\n## ")[0]
    (least,) = re.findall(r"Kubernetes (\d+\.\d+) and later", section)
    return least, re.findall(r"^\| (\d+\.\d+) \|", section, re.MULTILINE)


def test_the_least_version_of_the_page_is_that_of_the_chart() -> None:
    chart = yaml.safe_load((ROOT / "charts/myresource-operator/Chart.yaml").read_text())

    assert chart["kubeVersion"] == f">={promised()[0]}.0-0"


def test_every_night_the_least_version_and_every_version_of_the_table_are_tested() -> None:
    least, tested = promised()
    minors: list[str] = json.loads(NIGHTLY["jobs"]["ci"]["with"]["kubernetes"])

    assert tested
    assert {least, *tested} <= set(minors)
    assert f'["{tested[-1]}"]' in TEXTS["ci.yml"]  # for a change, the newest


def test_a_change_of_pages_alone_runs_their_tests_and_each_other_change_runs_all() -> None:
    # YAML 1.1 reads the key "on" as true
    code, pages = (yaml.safe_load(TEXTS[name])[True] for name in ("ci.yml", "docs.yml"))

    for event in ("push", "pull_request"):
        assert pages[event]["paths"] == ["**.md"]
        assert code[event]["paths"] == ["**", "!**.md", "metahook/src/**.md", "charts/**.md"]


@pytest.mark.tools
def test_actionlint_accepts_the_workflows() -> None:
    subprocess.run([find_or_skip("actionlint"), "-no-color"], cwd=ROOT, check=True)
