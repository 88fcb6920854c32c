"""Two builds of the same sources are the same image."""

import re
import shutil
from pathlib import Path

import pytest

from tests.documents import ROOT
from tests.image import container
from tests.image.build import Built, build, labels

pytestmark = pytest.mark.tools

OTHER_EPOCH = "1700000000"


def test_a_second_build_without_cache_has_the_same_digest(built: Built) -> None:
    again = build("localhost/myresource-operator:again", "--no-cache")

    assert again.digest == built.digest


def test_a_checkout_that_only_its_owner_can_read_gives_the_same_image(built: Built, tmp_path: Path) -> None:
    for name in ("Dockerfile", ".dockerignore", "requirements/run.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("app", "metahook/src/metahook"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for file in tmp_path.rglob("*"):
        file.chmod(0o700 if file.is_dir() else 0o600)

    private = build("localhost/myresource-operator:private", source=tmp_path)

    assert private.digest == built.digest


def test_with_another_time_the_digest_is_another_one_and_the_image_names_time_and_commit(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", OTHER_EPOCH)
    later = build("localhost/myresource-operator:later", *labels(), epoch=OTHER_EPOCH)
    with container.mounted(later.name) as image:
        config = image.config

    assert later.digest != built.digest
    assert config["created"] == config["config"]["Labels"]["org.opencontainers.image.created"] == "2023-11-14T22:13:20Z"
    assert re.fullmatch("[0-9a-f]{40}", config["config"]["Labels"]["org.opencontainers.image.revision"])
