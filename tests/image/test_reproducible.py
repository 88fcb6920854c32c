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


def test_with_another_time_the_digest_is_another_one_and_the_image_has_that_time(
    built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", OTHER_EPOCH)
    later = build("localhost/myresource-operator:later", *labels(), epoch=OTHER_EPOCH)

    assert later.digest != built.digest
    with container.mounted(later.name) as image:
        created = image.config["created"], image.config["config"]["Labels"]["org.opencontainers.image.created"]
    assert created == ("2023-11-14T22:13:20Z", "2023-11-14T22:13:20Z")


def test_the_revision_is_the_commit() -> None:
    assert [re.fullmatch(r"--build-arg=REVISION=[0-9a-f]{40}", label) is not None for label in labels()] == [True]
