"""``make image``: builds the Dockerfile as it is, and prints the name, the digest and the size of the image.

Where a base image can't be pulled, it makes stand-ins from Debian's packages.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.image import debian
from tests.image.buildah import MissingTool, buildah, pull, require

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build/image"

_MIB = 1024 * 1024


@dataclass(frozen=True)
class Built:
    """An image in buildah's store; the digest and the size in bytes are those that a registry has."""

    name: str
    digest: str
    size: int

    def __str__(self) -> str:
        return f"{self.name}\n{self.digest}\n{self.size / _MIB:.0f} MiB to pull"


def build(name: str, *options: str, epoch: str = "0") -> Built:
    """Build the image *name*. *epoch* is the time of all its files, and of the image itself, in seconds."""
    WORK.mkdir(parents=True, exist_ok=True)
    (WORK / "pip.conf").write_text("[install]\nno-index = true\nfind-links = /wheels\n")
    bases = [part for argument in _base_arguments() for part in ("--build-arg", argument)]
    volumes = [f"--volume={_wheels()}:/wheels:ro", f"--volume={WORK}/pip.conf:/etc/pip.conf:ro"]
    fixed = ["--format=oci", "--identity-label=false", "--network=none", "--timestamp", epoch]
    buildah("bud", "--quiet", "--layers", *fixed, *bases, *volumes, *options, "--tag", name, ROOT)
    return _built(name)


def bases() -> dict[str, str]:
    """Return the default of each argument of the Dockerfile that is a base image."""
    return dict(re.findall(r"^ARG (\w+_BASE)=(\S+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE))


def _base_arguments() -> list[str]:
    """Return the arguments with the stand-ins, if the defaults can't be pulled."""
    if all(pull(name) for name in bases().values()):
        return []
    return [f"{argument}={debian.base(argument, WORK)}" for argument in bases()]


def _wheels() -> Path:
    """Return a directory with the wheels for the image, downloaded with the settings of this machine's pip.

    Why not in the build: it would need these settings, and a network.
    """
    (minor,) = re.findall(r"python:(3\.\d+)", bases()["BUILD_BASE"])
    machine = os.uname().machine
    tags = ["--implementation=cp", f"--abi=cp{minor.replace('.', '')}", "--abi=abi3", "--abi=none"]
    tags += [f"--platform={name}_{machine}" for name in ("manylinux2014", "manylinux_2_17", "manylinux_2_28")]
    checked = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--requirement", ROOT / "requirements/run.txt"]
    folder = WORK / f"wheels-{minor}"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--dest", folder]
    subprocess.run([*pip, f"--python-version={minor}", *tags, *checked], check=True)
    return folder


def _built(name: str) -> Built:
    """Return the image *name* as a registry has it: with compressed layers."""
    layout, digest = WORK / "layout", WORK / "digest"
    subprocess.run(["rm", "-rf", layout], check=True)
    buildah("push", "--quiet", "--digestfile", digest, name, f"oci:{layout}")
    manifest = json.loads((layout / "blobs" / digest.read_text().replace(":", "/")).read_text())
    return Built(name, digest.read_text(), sum(part["size"] for part in [manifest["config"], *manifest["layers"]]))


def main() -> None:
    """Build the image with the name that the command line gives."""
    try:
        require("buildah")
        print(build(sys.argv[1]))
    except MissingTool as error:
        sys.exit(f"make image: {error}")
    except subprocess.CalledProcessError as error:  # the program has reported it
        sys.exit(f"make image: {error.cmd[0]} failed")


if __name__ == "__main__":
    main()
