"""The image that the tests of this directory examine and run: what make image builds."""

from collections.abc import Iterator

import pytest

from tests.image import container, layers
from tests.image.build import Built, build
from tests.image.programs import require
from tests.programs import Missing, skip

NAME = "localhost/myresource-operator:test"


@pytest.fixture(name="built", scope="session")
def _built() -> Built:
    try:
        require("buildah", "runc")
        return build(NAME)
    except Missing as error:
        skip(error)


@pytest.fixture(name="files", scope="session")
def _files(built: Built) -> list[layers.File]:
    """Return the files in the layers of the image."""
    return layers.files(built.name)


@pytest.fixture(name="image", scope="session")
def _image(built: Built) -> Iterator[container.Image]:
    with container.mounted(built.name) as image:
        yield image
