"""The image of a release, as an archive in the OCI image layout."""

import json
import shutil
import subprocess
import tarfile
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from release.archive import tar
from release.source import NotReleasable, Source

_LEFT_OUT = '{}; to build the other parts: make release PARTS="wheels sbom chart manifests"'


def build(source: Source, folder: Path) -> None:
    """Build the image, and write its archive to *folder*."""
    if shutil.which("buildah") is None:
        raise NotReleasable(_LEFT_OUT.format("the archive of the image needs buildah, as from apt-get install buildah"))
    name = f"localhost/myresource-operator-release:{source.revision}"  # which is no part of the image
    created = f"--label=org.opencontainers.image.created={datetime.fromtimestamp(source.epoch, UTC):%Y-%m-%dT%H:%M:%SZ}"
    labels = [created, f"--build-arg=VERSION={source.version}", f"--build-arg=REVISION={source.revision}"]
    # Without the cache, whose layers have another time. From the exported files: the checkout can have ignored files,
    # and the modes of files that its umask gave them.
    fixed = ["--quiet", "--no-cache", "--format=oci", "--identity-label=false", f"--timestamp={source.epoch}"]
    built = subprocess.run(["buildah", "bud", *fixed, *labels, "--tag", name, str(source.root)], check=False)
    if built.returncode:
        raise NotReleasable(_LEFT_OUT.format("the image can't be built, see above"))
    with tempfile.TemporaryDirectory() as temporary:
        layout = Path(temporary)
        subprocess.run(["buildah", "push", "--quiet", name, f"oci:{layout}:{source.version}"], check=True)
        subprocess.run(["buildah", "rmi", name], check=True, capture_output=True)
        files = {str(file.relative_to(layout)): file.read_bytes() for file in layout.rglob("*") if file.is_file()}
    (folder / _name(source)).write_bytes(tar(files, source.epoch))


def digest(source: Source, folder: Path) -> str:
    """Return the digest of the image in *folder*; empty if there is none."""
    file = folder / _name(source)
    return str(_read(file, "index.json")["manifests"][0]["digest"]) if file.exists() else ""


def annotations(source: Source, folder: Path) -> dict[str, str]:
    """Return the annotations of the image in *folder*, which name its base; none if there is no image."""
    path = digest(source, folder).replace(":", "/")
    return _read(folder / _name(source), f"blobs/{path}").get("annotations", {}) if path else {}


def _name(source: Source) -> str:
    return f"myresource-operator-{source.version}-image.tar"


def _read(file: Path, path: str) -> dict[str, Any]:
    """Return the JSON at *path* in the archive *file*."""
    with tarfile.open(file) as archive:
        content = archive.extractfile(path)
        found: dict[str, Any] = json.load(content) if content else {}
    return found
