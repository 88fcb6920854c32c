"""What the modules of a half must keep to: the contracts of import-linter, and a length."""

import os
import subprocess
import sys
from pathlib import Path


def contracts_hold(half: Path, source: Path) -> bool:
    """Return whether the contracts of the pyproject.toml in *half* hold for the toolkit in *source*."""
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-logo", "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(source)}  # before the one that is installed
    return subprocess.run(command, cwd=half, env=environment, capture_output=True, check=False).returncode == 0


def long_modules(folder: Path) -> list[Path]:
    """Return the modules of more than 600 lines, which nobody reads from top to bottom."""
    return [file for file in sorted(folder.rglob("*.py")) if len(file.read_text().splitlines()) > 600]
