"""The wheels and source distributions of the operator and of metahook."""

import subprocess
import sys
from pathlib import Path

from release.source import Source


def build(source: Source, folder: Path) -> None:
    """Build both distributions."""
    for project in (source.root / "metahook", source.root):
        command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
        subprocess.run(command, cwd=project, check=True, capture_output=True)
