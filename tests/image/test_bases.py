"""The base images: what the Dockerfile says if they do not fit together."""

import subprocess
from collections.abc import Iterator

import pytest

from tests.documents import ROOT
from tests.image.build import bases
from tests.image.programs import run

pytestmark = pytest.mark.tools

EMPTY = "localhost/myresource-operator-test-base:empty"


@pytest.fixture(name="empty")
def _empty() -> Iterator[str]:
    """Return an image without Python."""
    run("buildah", "commit", "--quiet", "--rm", run("buildah", "from", "scratch"), EMPTY)
    yield EMPTY
    run("buildah", "rmi", "--force", EMPTY)


@pytest.mark.usefixtures("built")
def test_two_bases_without_the_same_python_end_the_build_with_the_remedy(empty: str) -> None:
    given = {**bases(), "RUNTIME_BASE": empty}
    arguments = [f"--build-arg={argument}={base}" for argument, base in given.items()]
    command = ["buildah", "bud", "--target=build", *arguments, str(ROOT)]
    ended = subprocess.run(command, check=False, capture_output=True, text=True)

    assert ended.returncode != 0
    assert (
        "RUNTIME_BASE has no /usr/bin/python3.13: use two bases with the same minor version of Python\n" in ended.stderr
    )
