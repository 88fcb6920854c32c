"""The source of a release: the last commit, exported to a folder."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import yaml

from charts.version import semver

CHART = "charts/myresource-operator"
UNRELEASED = "Unreleased"
"""The section of the changelog between releases."""
_MODULES = ("app/__init__.py", "metahook/src/metahook/__init__.py")


class NotReleasable(Exception):
    """Raised if no release can be built. The message names the reason and the remedy."""


@dataclass(frozen=True)
class Source:
    """The exported files in *root*; *epoch*: when they were committed, in seconds.

    *image* is the repository that the image will be pushed to. *version* is that of the image and the chart: between
    releases it has the commit. *platforms* are those of the image, with commas; empty is that of the builder.
    """

    root: Path
    version: str
    revision: str
    epoch: int
    image: str
    platforms: str = ""

    @classmethod
    def exported(cls, repository: Path, folder: Path, image: str, platforms: str = "") -> Self:
        """Export the last commit of *repository* to *folder*; raise NotReleasable if it can't be released."""
        if _git(repository, "status", "--porcelain"):
            message = "files are changed that are not committed, see git status; commit or stash them"
            raise NotReleasable(message)
        archive = _run(repository, "archive", "HEAD")
        folder.mkdir(parents=True, exist_ok=True)
        # Python 3.11.2, which Debian 12 has, can't extract it with a filter, and newer ones warn without one.
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        version = _version(folder)
        _check_tags(_git(repository, "tag", "--points-at", "HEAD"), version)
        revision, epoch = _git(repository, "log", "-1", "--format=%H %ct").split()
        if "-dev." in version:
            version = _with_commit(folder, version, revision)
        else:
            _check_changelog(folder, version)
        return cls(folder, version, revision, int(epoch), image, platforms)


def _git(repository: Path, *arguments: str) -> str:
    return _run(repository, *arguments).decode().strip()


def _run(repository: Path, *arguments: str) -> bytes:
    ended = subprocess.run(["git", *arguments], cwd=repository, capture_output=True, check=False)
    if ended.returncode:
        message = "this is no clone of the repository, whose last commit would be released"
        raise NotReleasable(message)
    return ended.stdout


def _version(root: Path) -> str:
    """Return the version as Helm writes it. It is the same in all places that state it."""
    stated = re.compile(r'^__version__ = "(.*)"$', re.MULTILINE)
    found = {file: [semver(each) for each in stated.findall((root / file).read_text())] for file in _MODULES}
    chart = yaml.safe_load((root / CHART / "Chart.yaml").read_text())
    found |= {f"{key} of {CHART}/Chart.yaml": [chart[key]] for key in ("version", "appVersion")}
    versions = {version for each in found.values() for version in each}
    if len(versions) > 1:
        places = ", ".join(f"{place} has {' '.join(each)}" for place, each in found.items())
        message = f"the versions disagree; make them the same: {places}"
        raise NotReleasable(message)
    (version,) = versions
    return str(version)


def _with_commit(root: Path, version: str, revision: str) -> str:
    """Add the commit to the *version* of the exported chart, and return it: release/version.sh prints the same."""
    file = root / CHART / "Chart.yaml"
    made = f"{version}.g{revision[:8]}"
    file.write_text(file.read_text().replace(f"ersion: {version}", f"ersion: {made}"))
    return made


def _check_changelog(root: Path, version: str) -> None:
    if f"## {version}\n" not in (root / "CHANGELOG.md").read_text():
        message = f"CHANGELOG.md has no section {version}; write what its users get"
        raise NotReleasable(message)


def _check_tags(tags: str, version: str) -> None:
    """Check that no version tag of the commit, such as v1.2.3, names another version."""
    others = [tag for tag in tags.split() if re.match(r"v\d", tag) and tag != f"v{version}"]
    if others:
        message = f"the commit has the tag {others[0]}, and the version is {version}; change one of them"
        raise NotReleasable(message)
