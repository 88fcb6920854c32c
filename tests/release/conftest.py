"""The files of the release that ``make release`` has built."""

from pathlib import Path

import pytest

from release.__main__ import FOLDER
from tests.release.built import Built


@pytest.fixture(scope="session")
def built() -> Built:
    """Return the files; skip if there are none."""
    if not (FOLDER / "SHA256SUMS").exists():
        pytest.skip("no release is built: run make release")
    return Built(FOLDER)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory that is not in this checkout, and make it the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
