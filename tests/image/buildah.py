"""Runs buildah."""

import os
import shutil
import subprocess
from pathlib import Path


def missing() -> str:
    """Return what this machine lacks to build images, as a sentence; "" if nothing."""
    if shutil.which("buildah") is None:
        return "make image needs buildah: apt-get install buildah, or build with: docker build -t NAME ."
    if os.getuid() != 0:
        return "make image needs root, because buildah mounts the images: run it as root"
    return ""


def buildah(*arguments: str | Path) -> str:
    """Run buildah and return its output."""
    ended = subprocess.run(["buildah", *arguments], check=True, stdout=subprocess.PIPE, text=True)
    return ended.stdout.strip()


def has_image(name: str) -> bool:
    """Return whether the image *name* is in buildah's store."""
    command = ["buildah", "inspect", "--type", "image", name]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0
