"""The chart of a release: its values name the image of the release, so that it installs without ``--set``."""

import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import helm_python as helm

from release.archive import tar_gz
from release.image import digest
from release.source import CHART, Source


def build(source: Source, folder: Path) -> None:
    """Package the chart."""
    name_image(source, folder)
    with tempfile.TemporaryDirectory() as made, helm.Chart.load(source.root / CHART) as chart:
        package = Path(chart.save(made))
        with tarfile.open(package) as tar:
            files = {member.name: _content(tar, member) for member in tar}
    (folder / package.name).write_bytes(tar_gz(files, source.epoch))  # Helm writes the time of the build


def name_image(source: Source, folder: Path) -> None:
    """Set the image of the release in the values of the exported chart, and generate again what follows from them."""
    file = source.root / CHART / "values.yaml"
    text = re.sub(r"(?m)^  repository: .*$", f"  repository: {source.image}", file.read_text(), count=1)
    file.write_text(re.sub(r"(?m)^  digest: .*$", f'  digest: "{digest(source, folder)}"', text, count=1))
    for module in ("charts.values_table", "charts.manifests"):
        subprocess.run([sys.executable, "-m", module], cwd=source.root, check=True, capture_output=True)


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(member)
    return file.read() if file else b""
