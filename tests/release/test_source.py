"""Only a commit whose places agree is released, with an image of the commit."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from release import __main__ as command
from release.source import CHART, NotReleasable, Source

VERSION = "1.2.3"
FILES = {
    "app/__init__.py": f'__version__ = "{VERSION}"\n',
    "metahook/src/metahook/__init__.py": f'__version__ = "{VERSION}"\n',
    "charts/myresource-operator/Chart.yaml": f"version: {VERSION}\nappVersion: {VERSION}\n",
    "CHANGELOG.md": f"# Changelog\n\n## {VERSION}\n\n## 1.2.2\n",
}


def git(repository: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=repository, check=True, capture_output=True)  # noqa: S607 - git is where its user has it


def commit(repository: Path) -> None:
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message=a")


def committed(repository: Path, files: dict[str, str]) -> Path:
    """Make *repository* one with a commit of *files* and of what is there."""
    for name, text in files.items():
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text(text)
    git(repository, "init", "--quiet")
    commit(repository)
    return repository


@pytest.fixture(name="repository")
def _repository(tmp_path: Path) -> Path:
    """Return a repository whose last commit can be released."""
    return committed(tmp_path / "repository", FILES)


def exported(repository: Path) -> Source:
    return Source.exported(repository, repository.parent / "exported", "registry.example.com/a")


def test_the_last_commit_is_exported(repository: Path) -> None:
    git(repository, "tag", f"v{VERSION}")
    (repository / "ignored").write_text("")
    (repository / ".git/info/exclude").write_text("ignored\n")

    source = exported(repository)

    assert (source.version, len(source.revision)) == (VERSION, 40)
    assert {str(file.relative_to(source.root)) for file in source.root.rglob("*") if file.is_file()} == set(FILES)


def test_between_releases_the_chart_gets_the_commit(repository: Path) -> None:
    for name, text in FILES.items():
        (repository / name).write_text(text.replace(VERSION, "1.3.0-dev.0" if "Chart" in name else "1.3.0.dev0"))
    commit(repository)

    source = exported(repository)

    made = f"1.3.0-dev.0.g{source.revision[:8]}"
    assert source.version == made
    assert (source.root / f"{CHART}/Chart.yaml").read_text() == f"version: {made}\nappVersion: {made}\n"
    git(repository, "tag", "v1.3.0")
    with pytest.raises(NotReleasable, match=r"has the tag v1\.3\.0, and the version is 1\.3\.0-dev\.0;"):
        exported(repository)


OLDER = {file: text.replace(VERSION, "1.2.2", 1) for file, text in FILES.items()}


@pytest.mark.parametrize(
    ("written", "tag", "said"),
    [
        *((file, "", r"the versions disagree.* has 1\.2\.2") for file in FILES if file != "CHANGELOG.md"),
        ("CHANGELOG.md", "", r"no section 1\.2\.3"),
        ("", "v1.3.0", r"has the tag v1\.3\.0"),
    ],
)
def test_a_commit_whose_places_disagree_is_refused(repository: Path, written: str, tag: str, said: str) -> None:
    if written:
        (repository / written).write_text(OLDER[written])
        commit(repository)
    if tag:
        git(repository, "tag", tag)

    with pytest.raises(NotReleasable, match=said):
        exported(repository)


def test_a_folder_that_is_no_clone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotReleasable, match="no clone"):
        exported(tmp_path / "..")


def test_a_change_that_is_not_committed_is_refused_by_one_sentence_and_the_last_release_stays(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "new").write_text("")
    (tmp_path / "last").mkdir()
    monkeypatch.setattr(command, "ROOT", repository)

    ended = CliRunner().invoke(command.main, [f"--folder={tmp_path}/last"])

    assert ended.exit_code == 1
    assert re.fullmatch(r"No release is built: files are changed[^.]*commit or stash them[^.]*\.\n", ended.output)
    assert (tmp_path / "last").exists()


def test_the_image_is_built_and_attested_from_the_exported_files_and_without_docker_the_other_parts_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Source(
        tmp_path / "exported",
        version="1.2.3",
        revision="abc",
        epoch=0,
        image="r/a",
        platforms="linux/amd64,linux/arm64",
    )
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotReleasable, match=r"needs Docker with buildx; to build the other parts: make release PARTS="):
        command.build_image(source, tmp_path)

    (tmp_path / "docker").write_text(f"#!/bin/sh\necho $* >{tmp_path}/asked; exit 1\n")
    (tmp_path / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{path}")
    with pytest.raises(NotReleasable, match="the image can't be built"):
        command.build_image(source, tmp_path)
    asked = (tmp_path / "asked").read_text().split()
    assert {"--sbom=true", "--provenance=mode=max", "--platform=linux/amd64,linux/arm64"} <= {*asked}
    assert asked[-1] == str(source.root)
