"""``make kind`` and ``make deploy`` run the commands of docs/clusters/install.md; here programs only log them."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.docs.commands import section_commands
from tests.docs.documents import ROOT
from tests.release.test_source import git

REPOSITORY = "registry.example.com/myresource-operator"
DOCS = "https://git.example.com/docs"
OTHERS = {
    "kind": {
        "version=$(make version)": "it runs what make version runs",
        f"docker build --build-arg VERSION=$version -t {REPOSITORY}": "it is for clusters with a registry",
        "docker push ": "the same",
        "kubectl get statefulsets,": "it helps a reader to find Metacontroller",
    },
    "deploy": {
        "version=$(make version)": "the same",
        "docker build --build-arg VERSION=$version -t myresource-operator": "it is for kind",
        "kind load ": "the same",
        "kubectl get statefulsets,": "it helps a reader to find Metacontroller",
    },
}
"""Reasons for not running a command of the page, by its first words."""

SECTIONS = ("Build the image", "Install with Helm")
COMMANDS = [command for section in SECTIONS for command in section_commands("docs/clusters/install.md", section)]
_PROGRAM = """#!/bin/sh
echo "${0##*/} $*" >> "$LOG"
case "${0##*/} $*" in
  "kubectl get crd "*) exit "${NO_METACONTROLLER:-1}" ;;
  "kubectl config view "*) echo "kubeconfig of ${*##*=} alone" ;;
  "helm test "*) cat "$KUBECONFIG" ;;
  "helm get values "*) echo "$VALUES" ;;
esac
"""


def ran(folder: Path, *arguments: str, **given: str) -> tuple[list[str], str]:
    """Return the commands that the script runs with *given* variables, and what it says."""
    for program in ("docker", "kind", "kubectl", "helm"):
        (folder / program).write_text(_PROGRAM)
        (folder / program).chmod(0o755)
    log = folder / "log"
    own = {"LOG": str(log), "TMPDIR": str(folder), "KUBECONFIG": os.devnull}
    own["PATH"] = f"{folder}:{os.environ['PATH']}"
    script = [str(ROOT / "tests/own/install.sh"), *arguments]
    ended = subprocess.run(script, env={**os.environ, **own, **given}, capture_output=True, text=True, check=False)
    return log.read_text().splitlines() if log.exists() else [], ended.stdout + ended.stderr


@pytest.mark.parametrize(("target", "arguments"), [("kind", ()), ("deploy", ("mine", REPOSITORY))])
def test_the_script_runs_the_commands_of_the_page_in_their_order(
    target: str, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    around = re.compile(r"kind (get|create|export) |kubectl (get crd|config) |helm get ")
    again = re.compile(r"^helm upgrade --install( --reset-then-reuse-values)? ")  # the page installs for the first time
    others = OTHERS[target]
    page = [command for command in COMMANDS if not command.startswith(tuple(others))]
    if target == "kind":
        page = [re.sub(r"image\.repository=[^,]+,", "", command) for command in page]
    version = subprocess.check_output([ROOT / "release/version.sh"], text=True).strip()
    commands, said = ran(tmp_path, *arguments, DOCS_URL=DOCS)

    run = [again.sub("helm install ", each).replace(version, "$version") for each in commands if not around.match(each)]
    assert run == page, said
    assert [words for words in others if not any(command.startswith(words) for command in COMMANDS)] == []


def test_metacontroller_that_is_there_stays_and_commands_have_a_kubeconfig_that_is_deleted(tmp_path: Path) -> None:
    commands, said = ran(tmp_path, "mine", REPOSITORY, NO_METACONTROLLER="0")

    assert [command for command in commands if "metacontroller-helm" in command] == []
    assert "kubectl config view --raw --flatten --minify --context=mine" in commands
    assert "kubeconfig of mine alone" in said  # so says helm test, which comes last
    assert list(tmp_path.glob("tmp.*")) == []


@pytest.mark.parametrize("arguments", [("", ""), ("mine", ""), ("", REPOSITORY)])
def test_a_cluster_of_ones_own_needs_a_context_and_a_repository(arguments: tuple[str, str], tmp_path: Path) -> None:
    commands, said = ran(tmp_path, *arguments)

    assert commands == []
    assert "make deploy CONTEXT=NAME REPOSITORY=registry.example.com/myresource-operator" in said


@pytest.mark.parametrize(
    ("values", "docs_url", "expected"),
    [
        ("replicaCount: 3", DOCS, [f"docsUrl={DOCS}"]),
        ("docsUrl: https://wiki.example.com", DOCS, [f"docsUrl={DOCS}"]),
        ("docsUrl: https://wiki.example.com", "", []),
    ],
)
def test_pages_are_where_the_variable_says_or_stay_where_they_were(
    values: str, docs_url: str, expected: list[str], tmp_path: Path
) -> None:
    commands, said = ran(tmp_path, VALUES=values, DOCS_URL=docs_url)

    (install,) = [command for command in commands if command.startswith("helm upgrade") and "image.tag" in command]
    assert re.findall(r"docsUrl=\S+", install) == expected, said


REMOTES = {
    "https://github.com/acme/op.git": "https://github.com/acme/op/blob/HEAD/docs\n",
    "https://me:secret@github.com/acme/op": "https://github.com/acme/op/blob/HEAD/docs\n",
    "git@github.acme.io:acme/op.git": "https://github.acme.io/acme/op/blob/HEAD/docs\n",
    "ssh://git@gitlab.acme.io:2222/a/b/op.git": "https://gitlab.acme.io/a/b/op/-/blob/HEAD/docs\n",
    "https://gitlab.acme.io:8443/a/op.git": "https://gitlab.acme.io:8443/a/op/-/blob/HEAD/docs\n",
    "https://git.acme.io/op.git": "",
    "/srv/github.com/op.git": "",
}


def test_without_both_the_remote_says_where_the_pages_are(tmp_path: Path) -> None:
    def printed() -> str:
        return subprocess.check_output([ROOT / "release/docs_url.sh"], cwd=tmp_path, text=True)

    git(tmp_path, "init", "--quiet")
    assert printed() == ""
    for remote, expected in REMOTES.items():
        git(tmp_path, "config", "remote.origin.url", remote)
        assert printed() == expected
