"""The version of a tree: set for a release and after it, and printed with the commit in between."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from charts.version import VERSION
from release.source import CHART
from release.version import set_version
from tests.docs.commands import section_commands
from tests.docs.documents import ROOT
from tests.release.test_source import commit, committed

HATCH = '[project]\nname = "a"\ndynamic = ["version"]\n[tool.hatch.version]\npath = "{}/__init__.py"\n'
FILES = {
    "pyproject.toml": HATCH.format("app"),
    "app/__init__.py": '__version__ = "1.2.0.dev0"\n',
    "metahook/pyproject.toml": HATCH.format("src/metahook"),
    "metahook/src/metahook/__init__.py": '__version__ = "1.2.0.dev0"\n',
    f"{CHART}/Chart.yaml": "version: 1.2.0-dev.0 # why\nappVersion: 1.2.0-dev.0\n",
    "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\nNew.\n\n## 1.1.0\n",
    "examples/argo-cd/operator.yaml": "targetRevision: 4.17.2\ntargetRevision: v1.2.0 # why\n",
    "examples/flux/operator.yaml": "tag: 4.17.2\ntag: v1.2.0 # why\n",
}


@pytest.fixture(name="tree")
def _tree(tmp_path: Path) -> Path:
    """Return a repository between releases, with the script that prints the version."""
    (tmp_path / "release").mkdir()
    shutil.copy(ROOT / "release/version.sh", tmp_path / "release")
    return committed(tmp_path, FILES)


def texts(tree: Path) -> dict[str, str]:
    return {name: (tree / name).read_text() for name in FILES}


def printed(tree: Path) -> str:
    script = tree / "release/version.sh"
    return subprocess.run([script], capture_output=True, text=True, check=True).stdout


def test_the_version_of_a_release_and_the_next_one_are_set_everywhere(tree: Path) -> None:
    released = {
        name: re.sub(r"1\.2\.0.dev.?0", "1.2.0", text).replace("## Unreleased", "## 1.2.0")
        for name, text in FILES.items()
    }
    set_version(tree, "1.2.0")
    assert texts(tree) == released
    assert printed(tree) == "1.2.0\n"

    set_version(tree, "1.3.0.dev0")
    assert texts(tree) == {
        name: text.replace("v1.2.0", "v1.3.0")
        .replace('"1.2.0"', '"1.3.0.dev0"')
        .replace("ersion: 1.2.0", "ersion: 1.3.0-dev.0")
        .replace("## 1.2.0", "## Unreleased\n\n## 1.2.0")
        for name, text in released.items()
    }


def test_without_git_the_version_is_that_of_the_export_or_an_error(tree: Path) -> None:
    shutil.rmtree(tree / ".git")
    with pytest.raises(subprocess.CalledProcessError) as error:
        printed(tree)
    assert error.value.stderr == "the version has git's commit between releases: clone the repository\n"

    chart = next(tree / name for name in FILES if name.endswith("Chart.yaml"))
    chart.write_text(chart.read_text().replace("-dev.0", "-dev.0.gabcdef12"))
    assert printed(tree) == "1.2.0-dev.0.gabcdef12\n"


def test_a_version_that_is_none_changes_nothing(tree: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        set_version(tree, "1.3.0-")

    assert texts(tree) == FILES


@pytest.mark.parametrize(
    ("written", "is_committed"), [("", False), ("new", True), ("app/__init__.py", False), ("app/new.py", False)]
)
def test_between_releases_each_state_of_the_files_has_its_own_version(
    written: str, tree: Path, *, is_committed: bool
) -> None:
    first = printed(tree)
    if written:
        (tree / written).write_text("changed")
    if is_committed:
        commit(tree)

    assert re.fullmatch(r"1\.2\.0-dev\.0\.g[0-9a-f]{8}\n", first)
    assert (printed(tree) == first) is not bool(written)
    assert printed(tree) == printed(tree)
    status = subprocess.run(["git", "status", "--short"], cwd=tree, capture_output=True, text=True, check=True)  # noqa: S607 - git is where its user has it
    assert "A " not in status.stdout  # it stages nothing


@pytest.mark.parametrize("version", ["9.9.9-dev.0.g0123abcd", "9.9.9"])
def test_the_page_writes_the_version_into_every_manifest(version: str, tmp_path: Path) -> None:
    (command,) = [each for each in section_commands("docs/clusters/install.md", "Without Helm") if "sed" in each]
    folder = shutil.copytree(ROOT / "metacontroller", tmp_path / "metacontroller")
    for file in folder.iterdir():
        file.write_text(file.read_text().replace(VERSION, "9.9.9-dev.0"))  # as they are between releases

    for _ in range(2):  # again changes nothing
        subprocess.run(["/bin/sh", "-ec", f"version={version}\n{command}"], cwd=tmp_path, check=True)

    found = re.findall(r"9\.9\.9(?:-dev[.0-9a-z]*)?", "".join(file.read_text() for file in folder.iterdir()))
    assert set(found) == {version}
    assert len(found) > 10
