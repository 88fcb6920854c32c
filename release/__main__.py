"""Builds the files of a release in ``build/release``, from the last commit: ``make release``.

A release has all parts, or is none.

source      what is released: refuses changes that are not committed, and versions that disagree
wheels      wheels and source distributions of the operator and of metahook
image       the image with its bill of materials and its provenance, as an OCI archive
chart       the chart, as Helm packages it, with the image of the release
manifests   install.yaml and crds.yaml, for kubectl
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import click

from release import chart, image, manifests, wheels
from release.source import NotReleasable, Source

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build/release"
REPOSITORY = "registry.example.com/myresource-operator"

PARTS: dict[str, Callable[[Source, Path], None]] = {
    "wheels": wheels.build,
    "image": image.build,
    "chart": chart.build,
    "manifests": manifests.build,
}
"""In their order: the wheels are built from the commit as it is, the chart and the manifests name the built image."""


@click.command()
@click.option("--repository", default=REPOSITORY, help="Where the image will be pushed to, without a tag.")
@click.option("--folder", default=str(FOLDER), type=click.Path(path_type=Path), help="Where the files are put.")
@click.argument("parts", nargs=-1, type=click.Choice(list(PARTS)))
def main(repository: str, folder: Path, parts: tuple[str, ...]) -> None:
    """Build the files of a release: all of them, or some PARTS to try."""
    chosen = [part for part in PARTS if not parts or part in parts]
    try:
        with tempfile.TemporaryDirectory() as exported:
            source = Source.exported(ROOT, Path(exported), repository)
            _build(source, folder, chosen)
    except NotReleasable as error:
        sys.exit(f"No release is built: {error}.")
    print(f"{folder} has {', '.join(chosen)} of {source.version}, from the commit {source.revision}:")
    for file in sorted(folder.iterdir()):
        print(f"{file.stat().st_size:>10} {file.name}")


def _build(source: Source, folder: Path, parts: list[str]) -> None:
    """Build *parts* in *folder*, or nothing."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ["SOURCE_DATE_EPOCH"] = str(source.epoch)  # hatchling and buildx read it
    try:
        for part in parts:
            PARTS[part](source, folder)
    except BaseException:
        shutil.rmtree(folder)
        raise


if __name__ == "__main__":
    main()
