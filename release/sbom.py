"""The software bill of materials, in CycloneDX 1.6: the packages that the operator runs with in the image.

Packages of the operating system are those of the base image.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from release import wheels
from release.source import NotReleasable, Source

TOOL = Path(__file__).parent.parent / "build/release-tools/bin/cyclonedx-py"
_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


def build(source: Source, folder: Path) -> None:
    """Install the operator in an empty environment, and write what is in it to *folder*."""
    if not TOOL.exists():
        message = "cyclonedx-py is not installed; run make release, which installs it from requirements/release.txt"
        raise NotReleasable(message)
    with tempfile.TemporaryDirectory() as temporary:
        python = installed(source, Path(temporary))
        project = Path(temporary, "pyproject.toml")
        text = (source.root / "pyproject.toml").read_text()
        project.write_text(text.replace('dynamic = ["version"]', f'version = "{source.version}"'))  # read by no build
        target = folder / f"myresource-operator-{source.version}-sbom.cdx.json"
        options = ["--output-reproducible", "--spec-version=1.6", f"--pyproject={project}"]
        subprocess.run([TOOL, "environment", *options, f"--output-file={target}", python], check=True)


def installed(source: Source, folder: Path) -> Path:
    """Install the operator with its locked dependencies in *folder*, and return the path of its Python."""
    python = folder / "venv/bin/python"
    wheels.build(source, folder)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    pip = [*_PIP, "--python", str(python), "install"]
    locked = ["--require-hashes", "--only-binary=:all:", f"--requirement={source.root}/requirements/run.txt"]
    subprocess.run([*pip, *locked], check=True)
    # By name from a directory: pip would record the path of a wheel that it installs by its path.
    ours = ["--no-index", "--no-deps", f"--find-links={folder}", "metahook", "myresource-operator"]
    subprocess.run([*pip, *ours], check=True)
    return python
