"""Without buildah there is no archive of the image, and so no release."""

from pathlib import Path

import pytest

from release import image
from release.source import NotReleasable, Source


def test_a_machine_without_buildah_is_told_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    source = Source(tmp_path, version="1.2.3", revision="abc", epoch=0, image="registry.example.com/a")

    with pytest.raises(NotReleasable, match=r"apt-get install buildah; to build the other parts: make release PARTS="):
        image.build(source, tmp_path)
