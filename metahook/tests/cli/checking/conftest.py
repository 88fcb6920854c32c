"""Each test of ``metahook check`` has a directory with a controller, a CRD and a parent."""

import sys
from pathlib import Path

import pytest

from metahook.cli.checking import other_process
from toolkit.cli.sites import CONTROLLER, CRD, PARENT


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [str(tmp_path), *sys.path])
    for name, text in {"controller": CONTROLLER, "crd": CRD, "www": PARENT}.items():
        Path(f"{name}.yaml").write_text(text)


@pytest.fixture(autouse=True)
def _one_other_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the process with another clock, and none that has just another hash seed."""
    # pytest imports this file before it knows ``--all`` if its folder is named on the command line.
    from toolkit.slow import short_or_whole  # noqa: PLC0415

    monkeypatch.setattr(other_process, "SEEDS", short_or_whole(other_process.SEEDS[:1], other_process.SEEDS))
