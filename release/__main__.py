"""Builds the files of a release in ``build/release``, from the last commit: ``make release``.

A release has all parts, or is none.

wheels      wheels and source distributions of the operator and of metahook
image       the image with its bill of materials and its provenance, as an OCI archive
chart       the chart, as Helm packages it; its values name the image, so that it installs without ``--set``
manifests   install.yaml and crds.yaml, for ``kubectl apply --server-side -f``, and the schema for editors
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import click
import helm_python as helm
import yaml

from release.card import card, pages_url
from release.source import CHART, NotReleasable, Source

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build/release"
REPOSITORY = "registry.example.com/myresource-operator"

_LEFT_OUT = '{}; to build the other parts: make release PARTS="wheels chart manifests"'
_HEAD = """\
# MyResource operator {version}. It needs Metacontroller 4.17.2 or later.
# kubectl apply --server-side -f install.yaml
"""


def build_wheels(source: Source, folder: Path) -> None:
    """Build both distributions."""
    for project in (source.root / "metahook", source.root):
        command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
        subprocess.run(command, cwd=project, check=True, capture_output=True)


def build_image(source: Source, folder: Path) -> None:
    """Build the image, and write its archive to *folder*, with what buildx attests of it."""
    if shutil.which("docker") is None:
        raise NotReleasable(_LEFT_OUT.format("the image needs Docker with buildx"))
    created = f"--label=org.opencontainers.image.created={datetime.fromtimestamp(source.epoch, UTC):%Y-%m-%dT%H:%M:%SZ}"
    labels = [created, f"--build-arg=VERSION={source.version}", f"--build-arg=REVISION={source.revision}"]
    labels += [f"--platform={source.platforms}"] if source.platforms else []
    attested = ["--sbom=true", "--provenance=mode=max", f"--output=type=oci,dest={_archive(source, folder)}"]
    # From the exported files: the checkout can have ignored files, and the modes of files that its umask gave them.
    built = subprocess.run(["docker", "buildx", "build", *attested, *labels, str(source.root)], check=False)
    if built.returncode:
        raise NotReleasable(_LEFT_OUT.format("the image can't be built, see above"))


def _archive(source: Source, folder: Path) -> Path:
    return folder / f"myresource-operator-{source.version}-image.tar"


def build_chart(source: Source, folder: Path) -> None:
    """Package the chart, with its card."""
    _name_image(source, folder)
    with (source.root / CHART / "Chart.yaml").open("a") as file:
        yaml.safe_dump(card(source, _digest(source, folder), pages_url(ROOT)), file, sort_keys=False, width=120)
    with helm.Chart.load(source.root / CHART) as chart:
        chart.save(folder)


def build_manifests(source: Source, folder: Path) -> None:
    """Write ``crds.yaml``, ``install.yaml`` with all objects of ``metacontroller/``, and the schema for editors."""
    _name_image(source, folder)
    crds = _resources(source.root / "crds")
    everything = [*crds, *_resources(source.root / "metacontroller")]
    (folder / "crds.yaml").write_text("---\n".join(crds))
    shutil.copy(source.root / "crds/myresource.schema.json", folder)
    (folder / "install.yaml").write_text(_HEAD.format(version=source.version) + "---\n".join(everything))


def _resources(folder: Path) -> list[str]:
    """Return the manifests that the kustomization in *folder* lists, without those of other folders."""
    listed = yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"]
    return [(folder / name).read_text() for name in listed if name.endswith(".yaml")]


def _name_image(source: Source, folder: Path) -> None:
    """Set the image of the release in the values of the exported chart, and generate again what follows from them."""
    file = source.root / CHART / "values.yaml"
    text = re.sub(r"(?m)^  repository: .*$", f"  repository: {source.image}", file.read_text(), count=1)
    file.write_text(re.sub(r"(?m)^  digest: .*$", f'  digest: "{_digest(source, folder)}"', text, count=1))
    for module in ("charts.values_table", "charts.manifests"):
        subprocess.run([sys.executable, "-m", module], cwd=source.root, check=True, capture_output=True)


def _digest(source: Source, folder: Path) -> str:
    """Return the digest of the image in *folder*; empty if there is none."""
    if not _archive(source, folder).exists():
        return ""
    with tarfile.open(_archive(source, folder)) as archive:
        index = archive.extractfile("index.json")
        return str(json.load(index)["manifests"][0]["digest"]) if index else ""


PARTS: dict[str, Callable[[Source, Path], None]] = {
    "wheels": build_wheels,
    "image": build_image,
    "chart": build_chart,
    "manifests": build_manifests,
}
"""In their order: the wheels are built from the commit as it is, the chart and the manifests name the built image."""


@click.command()
@click.option("--repository", default=REPOSITORY, help="Where the image will be pushed to, without a tag.")
@click.option("--platforms", default="", help="Those of the image, such as linux/amd64,linux/arm64.")
@click.option("--folder", default=str(FOLDER), type=click.Path(path_type=Path), help="Where the files are put.")
@click.argument("parts", nargs=-1, type=click.Choice(list(PARTS)))
def main(repository: str, platforms: str, folder: Path, parts: tuple[str, ...]) -> None:
    """Build the files of a release: all of them, or some PARTS to try."""
    chosen = [part for part in PARTS if not parts or part in parts]
    try:
        with tempfile.TemporaryDirectory() as exported:
            source = Source.exported(ROOT, Path(exported), repository, platforms)
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
