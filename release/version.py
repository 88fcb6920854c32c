"""Sets the version of the tree: ``make version VERSION=X.Y.Z`` before a release, ``VERSION=X.Y.Z.dev0`` after it."""

import re
import subprocess
import sys
from pathlib import Path

from charts.version import semver
from release.source import CHART, UNRELEASED

ROOT = Path(__file__).parent.parent


def set_version(root: Path, version: str) -> None:
    """Write *version* to both packages, the chart and the changelog of the tree in *root*."""
    for folder in (root, root / "metahook"):  # hatchling refuses what is no version, and one that is not higher
        subprocess.run([sys.executable, "-m", "hatchling", "version", version], cwd=folder, check=True)
    _replace(root / CHART / "Chart.yaml", r"(?m)^(version|appVersion): [^ \n]+", rf"\1: {semver(version)}")
    release = version.partition(".dev")[0]
    for tool in ("argo-cd", "flux"):
        file = root / f"examples/{tool}/operator.yaml"
        _replace(file, r"(?m)^( *(?:targetRevision|tag): v)[0-9.]+", rf"\g<1>{release}")
    changelog = root / "CHANGELOG.md"
    if "dev" in version:
        _replace(changelog, r"(?m)^## ", f"## {UNRELEASED}\n\n## ", count=1)
    else:
        _replace(changelog, rf"(?m)^## {UNRELEASED}$", f"## {version}")


def _replace(file: Path, pattern: str, by: str, count: int = 0) -> None:
    file.write_text(re.sub(pattern, by, file.read_text(), count=count))


if __name__ == "__main__":
    set_version(ROOT, sys.argv[1])
