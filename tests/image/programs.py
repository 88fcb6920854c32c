"""Runs buildah and the programs beside it."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.programs import Missing, find


def require(*programs: str) -> None:
    """Raise Missing if one of *programs* is not installed, or if this user can't mount images."""
    for program in programs:
        find(program)
    if os.getuid() != 0:
        message = "buildah needs root here, to mount images: run make as root, or docker build -t NAME ."
        raise Missing(message)


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run *command* and return its output; its errors go to standard error."""
    ended = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=cwd)
    return ended.stdout.strip()


def succeeds(*command: str | Path) -> bool:
    """Return whether *command* is installed and succeeds. Its output is dropped."""
    return bool(shutil.which(command[0])) and subprocess.run(command, check=False, capture_output=True).returncode == 0
