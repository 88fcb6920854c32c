"""The files of the release that ``make release`` has built."""

import pytest

from release.__main__ import FOLDER
from tests.release.built import Built


@pytest.fixture(scope="session")
def built() -> Built:
    """Return the files; skip if there are none."""
    if not (FOLDER / "SHA256SUMS").exists():
        pytest.skip("no release is built: run make release")
    return Built(FOLDER)
