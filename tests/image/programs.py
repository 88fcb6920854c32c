"""Runs buildah and other programs, and says which are missing."""

import os
import shutil
import subprocess
from pathlib import Path


class MissingTool(Exception):
    """Raised if this machine can't build or run images. The message says what is missing, and how to get it."""


def require(*programs: str) -> None:
    """Raise MissingTool if one of *programs* is not installed, or if this user can't mount images."""
    for program in programs:
        if shutil.which(program) is None:
            message = f"{program} is not installed: on Debian and Ubuntu, apt-get install {program}"
            raise MissingTool(message)
    if os.getuid() != 0:
        message = "buildah needs root here, to mount images: run make as root, or docker build -t NAME ."
        raise MissingTool(message)


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run *command* and return its output; its errors go to standard error."""
    ended = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=cwd)
    return ended.stdout.strip()


def succeeds(*command: str | Path) -> bool:
    """Return whether *command* is installed and succeeds. Its output is dropped."""
    return bool(shutil.which(command[0])) and subprocess.run(command, check=False, capture_output=True).returncode == 0
