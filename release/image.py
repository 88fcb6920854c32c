"""The image of a release, as an archive in the OCI image layout, with what buildx attests of it."""

import json
import shutil
import subprocess
import tarfile
from datetime import UTC, datetime
from pathlib import Path

from release.source import NotReleasable, Source

_LEFT_OUT = '{}; to build the other parts: make release PARTS="wheels chart manifests"'


def build(source: Source, folder: Path) -> None:
    """Build the image, and write its archive to *folder*."""
    if shutil.which("docker") is None:
        raise NotReleasable(_LEFT_OUT.format("the image needs Docker with buildx"))
    created = f"--label=org.opencontainers.image.created={datetime.fromtimestamp(source.epoch, UTC):%Y-%m-%dT%H:%M:%SZ}"
    labels = [created, f"--build-arg=VERSION={source.version}", f"--build-arg=REVISION={source.revision}"]
    attested = ["--sbom=true", "--provenance=mode=max", f"--output=type=oci,dest={folder / _name(source)}"]
    # From the exported files: the checkout can have ignored files, and the modes of files that its umask gave them.
    built = subprocess.run(["docker", "buildx", "build", *attested, *labels, str(source.root)], check=False)
    if built.returncode:
        raise NotReleasable(_LEFT_OUT.format("the image can't be built, see above"))


def digest(source: Source, folder: Path) -> str:
    """Return the digest of the image in *folder*; empty if there is none."""
    file = folder / _name(source)
    if not file.exists():
        return ""
    with tarfile.open(file) as archive:
        index = archive.extractfile("index.json")
        return str(json.load(index)["manifests"][0]["digest"]) if index else ""


def _name(source: Source) -> str:
    return f"myresource-operator-{source.version}-image.tar"
