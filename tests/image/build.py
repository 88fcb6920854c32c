"""``make image``: builds the Dockerfile as it is, and prints the name, the digest and the size of the image.

Where a base image can't be pulled, it makes stand-ins for both from Debian's packages. SOURCE_DATE_EPOCH is the time of
all files and of the image, and makes labels with that time and the commit. Without it the time is 0.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from tests.documents import ROOT
from tests.image import debian
from tests.image.programs import require, run, succeeds
from tests.programs import Missing

WORK = ROOT / "build/image"

MIB = 1024 * 1024


@dataclass(frozen=True)
class Built:
    """An image in buildah's store; the digest and the size in bytes are those that a registry has."""

    name: str
    digest: str
    size: int

    def __str__(self) -> str:
        return f"{self.name}\n{self.digest}\n{self.size / MIB:.0f} MiB to pull"


def build(name: str, *more: str, epoch: str = "0", source: Path = ROOT) -> Built:
    """Build the image *name* of the files in *source*, with *more* options of buildah.

    All its files have the time *epoch*, in seconds.

    Why without the cache for another time than 0: buildah would take layers from it that have another time.
    """
    WORK.mkdir(parents=True, exist_ok=True)
    options = (f"--build-arg={argument}={base}" for argument, base in bases().items())
    network = [] if _can_pull() else ["--network=none"]
    cached = "--layers" if epoch == "0" else "--no-cache"
    fixed = ["--quiet", "--format=oci", "--identity-label=false", f"--timestamp={epoch}"]
    run("buildah", "bud", cached, *fixed, *options, *network, *more, "--tag", name, source)
    return _built(name)


def bases() -> dict[str, str]:
    """Return the base image for each argument of the Dockerfile: its default, or a stand-in if that can't be pulled."""
    return _defaults() if _can_pull() else {argument: debian.base(argument, WORK) for argument in _defaults()}


def _defaults() -> dict[str, str]:
    return dict(re.findall(r"^ARG (\w+_BASE)=(\S+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE))


@cache
def _can_pull() -> bool:
    return all(succeeds("buildah", "pull", "--quiet", "--policy", "missing", name) for name in _defaults().values())


def _built(name: str) -> Built:
    """Return the image *name* as a registry has it: with compressed layers."""
    with tempfile.TemporaryDirectory(dir=WORK) as folder:
        run("buildah", "push", "--quiet", "--digestfile", Path(folder, "digest"), name, f"oci:{folder}/image")
        digest = Path(folder, "digest").read_text()
        manifest = json.loads(Path(folder, "image/blobs", digest.replace(":", "/")).read_text())
    return Built(name, digest, sum(part["size"] for part in [manifest["config"], *manifest["layers"]]))


def labels() -> list[str]:
    """Return the options for the labels of an image that is built for a time: this time, and the commit.

    Why not for others: with a label that names the commit, each commit would be another image.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return []
    created = datetime.fromtimestamp(int(epoch), UTC)
    label = f"--label=org.opencontainers.image.created={created:%Y-%m-%dT%H:%M:%SZ}"
    git = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    return [label, f"--build-arg=REVISION={run(*git)}"] if succeeds(*git) else [label]


def main(name: str, source: Path = ROOT) -> None:
    """Build the image *name* of the files in *source*: with buildah, or with docker if there is no buildah."""
    if shutil.which("buildah") is None and shutil.which("docker"):
        sys.stdout.write(run("docker", "build", "--quiet", *labels(), "--tag", name, source) + "\n")
        return
    require("buildah")
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "0")
    sys.stdout.write(f"{build(name, *labels(), epoch=epoch, source=source)}\n")
    if not _can_pull():
        sys.stdout.write("For tests only: its base images can't be pulled, and were made from Debian's packages.\n")


if __name__ == "__main__":
    try:
        main(sys.argv[1], *map(Path, sys.argv[2:]))
    except Missing as error:
        sys.exit(f"make image: {error}")
    except subprocess.CalledProcessError as error:  # which the program has explained
        sys.exit(f"make image: {error.cmd[0]} failed")
