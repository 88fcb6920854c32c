"""No page, manifest, chart or script names another version of ours than that of the code."""

import re
from pathlib import Path

from app import __version__
from charts.version import VERSION, semver
from metahook import __version__ as version_of_the_toolkit
from tests.docs.documents import ROOT

FORMS = {__version__, VERSION, __version__.partition(".dev")[0]}
"""How the version is written in Python, by Helm, and as the tag of the coming release."""
RELEASES = set(re.findall(r"^## (\d\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE))
NAMED = re.compile(
    r"(?:[:=@\"/-]v?|: v?|\btag v?| v)"  # as a tag, a value or in a file's name; in a sentence it is about the past
    rf"((?:{'|'.join(map(re.escape, RELEASES))})\b(?!\.\d)(?:[.-]dev\.?\d+)?)|"
    r"\b(\d+\.\d+\.\d+(?:\.dev|-dev\.)\d+)"
)
TEXT = {".md", ".yaml", ".yml", ".tpl", ".txt", ".sh", ".py", ".toml", "Dockerfile", "Makefile"}


def files() -> list[Path]:
    """Return what users and maintainers read and run. Recorded data and tests have versions of their own."""
    tops = ("*", "charts/**/*", "docs/**/*", "examples/**/*", "metacontroller/*", "release/*", "website/*")
    others = (".github/**/*", "metahook/*", "metahook/docs/**/*", "metahook/src/**/*", "tests/own/*.sh")
    found = [file for top in (*tops, *others) for file in ROOT.glob(top) if file.is_file()]
    return [file for file in found if (file.suffix or file.name) in TEXT and file.name != "CHANGELOG.md"]


def stale(text: str) -> set[str]:
    """Return the versions of ours that *text* names, and that are not this one."""
    return {named or dev for named, dev in NAMED.findall(text)} - FORMS


def test_no_file_names_another_version() -> None:
    found = {str(file.relative_to(ROOT)): stale(file.read_text()) for file in files()}

    assert len(found) > 200
    assert {name: versions for name, versions in found.items() if versions} == {}


def test_another_version_would_be_found() -> None:
    others = ["docker build -t myresource-operator:0.1.0 .", "metahook==0.1.0.dev3", "an image of 0.1.0-dev.0"]
    ours = f"an image of {VERSION}, {__version__} or v{__version__.partition('.dev')[0]}"

    assert [*map(stale, others)] == [{"0.1.0"}, {"0.1.0.dev3"}, {"0.1.0-dev.0"}]
    assert stale(f"{ours}, an installation of 0.1.0 or earlier, listens at 10.0.1.0:8080") == set()


def test_both_packages_the_examples_and_the_changelog_have_one_version() -> None:
    release = f"v{__version__.partition('.dev')[0]}"
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)

    assert version_of_the_toolkit == __version__
    for tool, key in (("argo-cd", "targetRevision"), ("flux", "tag")):
        assert f" {key}: {release} " in (ROOT / f"examples/{tool}/operator.yaml").read_text()
    assert newest
    assert newest[1] == ("Unreleased" if "dev" in __version__ else __version__)
    assert [semver(version) for version in ("1.2.0", "1.2.0.dev3")] == ["1.2.0", "1.2.0-dev.3"]  # as Helm reads it
