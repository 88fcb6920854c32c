"""Without its programs, or without root, ``make cluster`` says so in one sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents import ROOT
from tests.node import programs
from tests.node.programs import CHART, require
from tests.programs import Missing


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the one folder in which programs are looked up."""
    for variable in ("KUBEBUILDER_ASSETS", "NODE_BIN", "CNI_BIN", "PATH"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.delenv("METACONTROLLER_BIN", raising=False)
    return tmp_path


def install(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).touch(0o755)


ALL = (*programs.KUBERNETES, *programs.NODE, *programs.CNI, *programs.SYSTEM)


def test_a_missing_program_is_named_with_the_page_that_has_its_source(bare: Path) -> None:
    install(bare, *ALL)
    (bare / "kubelet").unlink()
    (bare / CHART).unlink()

    with pytest.raises(Missing) as missing:
        require()

    assert str(missing.value).startswith(f"not found: kubelet, {CHART}; docs/testing.md says")


def test_with_all_programs_only_root_may_be_missing(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(bare, *ALL)

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    require()
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(Missing, match="run make cluster as root"):
        require()


@pytest.mark.usefixtures("bare")
def test_the_command_prints_one_sentence_and_fails() -> None:
    command = [sys.executable, "-m", "tests.node", "up"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert ended.stdout == ""
    assert ended.stderr.startswith("not found: etcd, ")
    assert ended.stderr.count("\n") == 1


def test_the_page_names_every_program() -> None:
    page = (ROOT / "docs/testing.md").read_text()

    assert [name for name in ALL if f"`{name}`" not in page] == []
