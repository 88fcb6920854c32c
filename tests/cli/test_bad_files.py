"""Each of the operator's commands refuses each bad file with one line; metahook/tests/cli limits time and memory."""

from collections.abc import Callable
from pathlib import Path

import pytest

from metahook.cli.files import documents
from tests.cli.command import assert_one_line, call
from toolkit.bad_files import bad_files

WEB = str(Path(__file__).parents[2] / "examples/web.yaml")
READERS = {
    "render": ["render", "-f", "FILE"],
    "diff, the old one": ["diff", "FILE", WEB],
    "diff, the new one": ["diff", WEB, "FILE"],
    "simulate": ["simulate", "-f", "FILE"],
    "replay": ["replay", "FILE"],
    "import": ["import", "-f", "FILE"],
    "import --check": ["import", "--check", "-f", "FILE"],
}
FILE_READERS = {
    "render --observed": ["render", "-f", WEB, "--observed", "FILE"],
    "simulate --scenario": ["simulate", "-f", WEB, "--scenario", "FILE"],
}
"""The options that name one file, and no folder."""


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait only a moment for a program that writes to a named pipe."""
    monkeypatch.setattr(documents, "PATIENCE", 0.05)


@pytest.mark.parametrize("arguments", FILE_READERS.values(), ids=FILE_READERS)
@pytest.mark.parametrize(("make", "words"), bad_files())
def test_a_bad_file_is_one_line(
    arguments: list[str], make: Callable[[Path], object], words: list[str], tmp_path: Path
) -> None:
    refused(arguments, make, words, tmp_path)


@pytest.mark.parametrize("arguments", READERS.values(), ids=READERS)
@pytest.mark.parametrize(("make", "words"), bad_files(folders=True))
def test_a_bad_file_or_folder_is_one_line(
    arguments: list[str], make: Callable[[Path], object], words: list[str], tmp_path: Path
) -> None:
    refused(arguments, make, words, tmp_path)


def refused(arguments: list[str], make: Callable[[Path], object], words: list[str], folder: Path) -> None:
    """Assert that a command refuses the file that *make* makes in *folder*."""
    file = folder / "web.file"
    make(file)

    ended = call(*(str(file) if word == "FILE" else word for word in arguments))

    assert_one_line(ended, 2, str(file), *words)
