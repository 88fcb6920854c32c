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
NIGHTLY, RELEASE = (yaml.safe_load(TEXTS[name]) for name in ("nightly.yml", "release.yml"))
REFUSE = "Refuse to replace a published version"


def writers(jobs: dict[str, Any]) -> set[str]:
    """Return the *jobs* that may write and still run this repository or its packages."""
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
    text, workflow = TEXTS[name], yaml.safe_load(TEXTS[name])
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = re.findall(r"\bmake [^\n]*\bONLY=(\"[^\"$]+\"|[\w./*-]+)", text)
    pinned = re.compile(r"\./\S+|[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")

    assert set(re.findall(r"\bmake ([a-z][a-z0-9-]*)", re.sub("#.*", "", text))) <= targets
    assert [path for paths in named for path in paths.strip('"').split() if not (ROOT / path).exists()] == []
    assert [each for each in re.findall(r"uses: (.*)$", text, re.MULTILINE) if not pinned.fullmatch(each)] == []
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["defaults"] == {"run": {"shell": "bash"}}
    assert writers(workflow["jobs"]) == set()


DIGEST = f"sha256:{'1' * 64}"
NOT_FOUND = "echo 'release not found' >&2; exit 1"


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
    """The step runs as hosted CI does; scripts take the place of programs that ask services that no test may ask."""
    (run,) = [step["run"] for step in RELEASE["jobs"]["publish"]["steps"] if step.get("name") == REFUSE]
    for program, text in {"gh": gh, "skopeo": skopeo}.items():
        (tmp_path / program).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / program).chmod(0o755)
    environment = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "GITHUB_REF_NAME": "v1.2.3",
        "GITHUB_REPOSITORY": "owner/name",
        "GITHUB_ENV": str(tmp_path / "env"),
        "REPOSITORY": "registry.example.com",
        "IMAGE_DIGEST": DIGEST,
    }

    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", run]
    assert subprocess.run(command, cwd=tmp_path, env=environment, check=False).returncode == code


def test_only_what_was_tested_and_built_is_published_after_checks_that_always_run() -> None:
    jobs = RELEASE["jobs"]
    steps = {step.get("name", ""): step for step in jobs["publish"]["steps"]}
    names = list(steps)

    assert jobs["test"]["uses"].endswith("/nightly.yml")
    assert (jobs["build"]["needs"], jobs["publish"]["needs"]) == ("test", "build")
    assert names.index(REFUSE) < names.index("Push and sign the image and the chart")
    for each in (*jobs.values(), steps[REFUSE]):
        assert each.keys().isdisjoint({"if", "continue-on-error"})


def test_what_the_page_promises_is_required_by_the_chart_and_tested_every_night() -> None:
    section = (ROOT / "docs/clusters/upgrade.md").read_text().partition("## Tested versions")[2].partition("\n## ")[0]
    (least,) = re.findall(r"Kubernetes (\d+\.\d+) and later", section)
    tested = re.findall(r"^\| (\d+\.\d+) \|", section, re.MULTILINE)
    chart = yaml.safe_load((ROOT / "charts/myresource-operator/Chart.yaml").read_text())

    assert chart["kubeVersion"] == f">={least}.0-0"
    assert tested
    assert {least, *tested} <= set(json.loads(NIGHTLY["jobs"]["ci"]["with"]["kubernetes"]))
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
