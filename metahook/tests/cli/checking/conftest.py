"""Each test of ``metahook check`` has a directory with a controller, a CRD and a parent."""

import sys
from pathlib import Path

import pytest

from toolkit.cli.sites import CONTROLLER, CRD, PARENT


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [str(tmp_path), *sys.path])
    for name, text in {"controller": CONTROLLER, "crd": CRD, "www": PARENT}.items():
        Path(f"{name}.yaml").write_text(text)
