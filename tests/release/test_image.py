"""The image of a release is built from the commit; without buildah there is none, and so no release."""

import os
from pathlib import Path

import pytest

from release import image
from release.source import NotReleasable, Source


def test_a_machine_without_buildah_is_told_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    source = Source(tmp_path, version="1.2.3", revision="abc", epoch=0, image="registry.example.com/a")

    with pytest.raises(NotReleasable, match=r"apt-get install buildah; to build the other parts: make release PARTS="):
        image.build(source, tmp_path)


def test_the_image_is_built_from_the_exported_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "buildah").write_text(f"#!/bin/sh\necho $* >{tmp_path}/asked; exit 1\n")
    (tmp_path / "buildah").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    source = Source(tmp_path / "exported", version="1.2.3", revision="abc", epoch=0, image="registry.example.com/a")

    with pytest.raises(NotReleasable, match="the image can't be built"):
        image.build(source, tmp_path)

    assert (tmp_path / "asked").read_text().split()[-1] == str(source.root)
