"""The files of the release that ``make release`` has built."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from app import __version__
from charts.version import VERSION
from release.__main__ import FOLDER
from release.checksums import NAME as CHECKSUMS
from release.provenance import NAME as PROVENANCE


@dataclass(frozen=True)
class Built:
    """The files in *folder*."""

    folder: Path

    @property
    def provenance(self) -> dict[str, Any]:
        """The provenance of the files."""
        found: dict[str, Any] = json.loads((self.folder / PROVENANCE).read_text())
        return found

    @property
    def definition(self) -> dict[str, Any]:
        """How the files were built."""
        found: dict[str, Any] = self.provenance["predicate"]["buildDefinition"]
        return found

    @property
    def image(self) -> str:
        """The repository of the image."""
        return str(self.definition["externalParameters"]["repository"])

    @property
    def checksums(self) -> dict[str, str]:
        """The checksum of each file."""
        lines = (self.folder / CHECKSUMS).read_text().splitlines()
        return {name: digest for digest, name in (line.split("  ") for line in lines)}

    @property
    def version(self) -> str:
        """The version of the image and the chart, which has the commit between releases."""
        commit = self.definition["resolvedDependencies"][0]["digest"]["gitCommit"]
        return f"{VERSION}.g{commit[:8]}" if "-dev." in VERSION else VERSION

    def file(self, name: str) -> Path:
        """Return the path of a file; ``VERSION`` in *name* stands for the version."""
        python = name.endswith((".whl", ".tar.gz"))
        return self.folder / name.replace("VERSION", __version__ if python else self.version)

    def need(self, part: str) -> None:
        """Skip the test if *part* was left out."""
        if part not in self.definition["externalParameters"]["parts"]:
            pytest.skip(f"the release was built without the part {part}")


@pytest.fixture(scope="session")
def built() -> Built:
    """Return the files; skip if there are none."""
    if not (FOLDER / "SHA256SUMS").exists():
        pytest.skip("no release is built: run make release")
    return Built(FOLDER)
