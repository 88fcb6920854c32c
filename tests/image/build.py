"""``make image``: builds the Dockerfile as it is, and prints name, digest and size of the image."""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.image import debian
from tests.image.buildah import buildah, has_image, missing

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build/image"


def base_args() -> dict[str, str]:
    """Return the base image for each argument of the Dockerfile, where it is another than its default."""
    given = dict(re.findall(r"^ARG (\w+_BASE)=(\S+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE))
    if all(has_image(name) or _pull(name) for name in given.values()):
        return {}
    return {name: debian.base(name.removesuffix("_BASE").lower(), WORK) for name in given}


def _pull(name: str) -> bool:
    return subprocess.run(["buildah", "pull", "--quiet", name], check=False, capture_output=True).returncode == 0


def build(image: str, *options: str, epoch: str = "0") -> None:
    """Build the Dockerfile as *image*. Every file and the image itself have the time *epoch*."""
    WORK.mkdir(parents=True, exist_ok=True)
    wheels = _wheels()
    (WORK / "pip.conf").write_text("[install]\nno-index = true\nfind-links = /wheels\n")
    arguments = [part for item in base_args().items() for part in ("--build-arg", "=".join(item))]
    volumes = [f"--volume={wheels}:/wheels:ro", f"--volume={WORK}/pip.conf:/etc/pip.conf:ro"]
    buildah(
        "bud", "--quiet", "--layers", "--network", "none", "--identity-label=false", "--format", "oci",
        "--timestamp", epoch, *arguments, *volumes, *options, "--tag", image, ROOT,
    )  # fmt: skip


def _wheels() -> Path:
    """Return a directory with the wheels of the lock file for Python 3.11, downloaded with pip's own settings."""
    machine = os.uname().machine
    platforms = [f"--platform={name}_{machine}" for name in ("manylinux2014", "manylinux_2_17", "manylinux_2_28")]
    tags = ["--python-version=3.11", "--implementation=cp", "--abi=cp311", "--abi=abi3", "--abi=none", *platforms]
    folder = WORK / "wheels"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", folder, "--no-deps", "--require-hashes"]
    subprocess.run([*command, "--only-binary=:all:", *tags, "-r", ROOT / "requirements/run.txt"], check=True)
    return folder


def main() -> None:
    """Build the image that the command line names."""
    parser = argparse.ArgumentParser(prog="make image")
    parser.add_argument("image")
    image = parser.parse_args().image
    if sentence := missing():
        sys.exit(sentence)
    build(image)
    print(image)


if __name__ == "__main__":
    main()
