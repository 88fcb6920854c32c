"""Runs buildah, and says what this machine lacks for it."""

import os
import shutil
import subprocess
from pathlib import Path


class MissingTool(Exception):
    """Raised if this machine can't build or run images. The message is a sentence: what is missing, and how to get it."""


def require(*programs: str) -> None:
    """Raise MissingTool if one of *programs* is not installed, or if this user can't mount images."""
    for program in programs:
        if shutil.which(program) is None:
            message = f"{program} is not installed: on Debian and Ubuntu, apt-get install {program}"
            raise MissingTool(message)
    if os.getuid() != 0:
        message = "buildah needs root to mount images: run make as root, or build with docker build -t NAME ."
        raise MissingTool(message)


def buildah(*arguments: str | Path) -> str:
    """Run buildah and return its output; its errors go to standard error."""
    ended = subprocess.run(["buildah", *arguments], check=True, stdout=subprocess.PIPE, text=True)
    return ended.stdout.strip()


def has_image(name: str) -> bool:
    """Return whether the image *name* is in buildah's store."""
    command = ["buildah", "inspect", "--type", "image", name]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def pull(name: str) -> bool:
    """Return whether the image *name* is in buildah's store, after an attempt to pull it."""
    command = ["buildah", "pull", "--quiet", "--policy", "missing", name]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0
