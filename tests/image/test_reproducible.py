"""Two builds of the same sources are the same image."""

import re

import pytest

from tests.image import container
from tests.image.build import Built, build, labels

pytestmark = pytest.mark.tools

OTHER_EPOCH = "1700000000"


def test_a_second_build_without_cache_has_the_same_digest(built: Built) -> None:
    again = build("localhost/myresource-operator:again", "--no-cache")

    assert again.digest == built.digest


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
