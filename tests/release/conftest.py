"""The files of the release that ``make release`` has built."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import helm_python as helm
import pytest

from app import __version__
from release.__main__ import FOLDER


@dataclass(frozen=True)
class Built:
    """The files in *folder*."""

    folder: Path

    @cached_property
    def chart(self) -> dict[str, Any]:
        """The values of the chart."""
        with helm.Chart.load(self.file("myresource-operator-*.tgz")) as chart:
            found: dict[str, Any] = chart.values
        return found

    @property
    def image(self) -> str:
        """The repository of the image."""
        return str(self.chart["image"]["repository"])

    def file(self, pattern: str) -> Path:
        """Return the path of a file; skip the test if its part was left out. VERSION is that of the packages."""
        found = [*self.folder.glob(pattern.replace("VERSION", __version__))]
        if not found:
            pytest.skip(f"the release was built without {pattern}")
        (file,) = found
        return file


@pytest.fixture(scope="session")
def built() -> Built:
    """Return the files; skip if there are none."""
    if not FOLDER.exists():
        pytest.skip("no release is built: run make release")
    return Built(FOLDER)
