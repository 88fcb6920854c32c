"""Where the binaries are looked up, and what a reader is told if one is missing."""

from pathlib import Path

import pytest

from metahook.envtest import missing_binaries
from metahook.envtest.binaries import CRDS, Missing, find_binaries

NAMES = ["etcd", "kube-apiserver", "kube-controller-manager", "metacontroller", "openssl"]


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with all binaries, the only place where they are."""
    for name in NAMES:
        (tmp_path / name).touch(mode=0o755)
    (tmp_path / CRDS).touch()
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("METACONTROLLER_BIN", raising=False)
    monkeypatch.delenv("METACONTROLLER_CRDS", raising=False)
    return tmp_path


def test_they_are_in_the_folder_of_envtest(folder: Path) -> None:
    found = find_binaries()

    assert (found.apiserver, found.metacontroller) == (folder / "kube-apiserver", folder / "metacontroller")
    assert missing_binaries() == ""


@pytest.mark.parametrize("name", [*NAMES, CRDS])
def test_the_missing_ones_are_named_with_the_remedy(folder: Path, name: str) -> None:
    (folder / name).unlink()

    assert missing_binaries().startswith(f"not found: {name}; put ")
    assert f"into {folder} (or set KUBEBUILDER_ASSETS)" in missing_binaries()
    with pytest.raises(Missing):
        find_binaries()


def test_metacontroller_and_its_crds_may_be_elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    for name, variable in (("metacontroller", "METACONTROLLER_BIN"), (CRDS, "METACONTROLLER_CRDS")):
        (folder / name).rename(elsewhere / name)
        monkeypatch.setenv(variable, str(elsewhere / name))

    found = find_binaries()

    assert (found.metacontroller, found.crds) == (elsewhere / "metacontroller", elsewhere / CRDS)
