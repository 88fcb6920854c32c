"""The chart of a release: its values name the image of the release, so that it installs without ``--set``."""

import re
import subprocess
import sys
from pathlib import Path

import helm_python as helm

from release.image import digest
from release.source import CHART, Source


def build(source: Source, folder: Path) -> None:
    """Package the chart."""
    name_image(source, folder)
    with helm.Chart.load(source.root / CHART) as chart:
        chart.save(folder)


def name_image(source: Source, folder: Path) -> None:
    """Set the image of the release in the values of the exported chart, and generate again what follows from them."""
    file = source.root / CHART / "values.yaml"
    text = re.sub(r"(?m)^  repository: .*$", f"  repository: {source.image}", file.read_text(), count=1)
    file.write_text(re.sub(r"(?m)^  digest: .*$", f'  digest: "{digest(source, folder)}"', text, count=1))
    for module in ("charts.values_table", "charts.manifests"):
        subprocess.run([sys.executable, "-m", module], cwd=source.root, check=True, capture_output=True)
