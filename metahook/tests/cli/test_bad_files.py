"""Each command refuses each bad file with one line, in bounded time and memory; the operator's do in tests/cli."""

import io
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from metahook.cli.files import documents
from toolkit.bad_files import BAD, bad_files, large_files, run_within_limits
from toolkit.cli.command import call, problem
from toolkit.command import assert_one_line
from toolkit.root import ROOT

GREETING = ROOT / "examples/greeting"
HI, HOOK = str(GREETING / "hi.yaml"), ["--hook", str(GREETING / "greetings.py")]
CAREFUL = [*HOOK, "-k", str(GREETING / "compositecontroller.yaml"), "-k", str(GREETING / "crd.yaml")]
READERS = {
    "render": ["render", *CAREFUL, "-f", "FILE"],
    "render --manifests": ["render", *HOOK, "-f", HI, "-k", "FILE"],
    "diff, the old one": ["diff", *CAREFUL, "FILE", HI],
    "diff, the new one": ["diff", *CAREFUL, HI, "FILE"],
    "simulate": ["simulate", *CAREFUL, "-f", "FILE"],
    "check": ["check", *CAREFUL, "-f", "FILE"],
    "check --manifests": ["check", *HOOK, "-f", HI, "-k", "FILE"],
    "replay": ["replay", *HOOK, "FILE"],
}
FILE_READERS = {
    "render --observed": ["render", *CAREFUL, "-f", HI, "--observed", "FILE"],
    "simulate --scenario": ["simulate", *CAREFUL, "-f", HI, "--scenario", "FILE"],
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


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read any file")
@pytest.mark.parametrize("arguments", READERS.values(), ids=READERS)
def test_a_file_or_folder_without_permission_is_one_line(arguments: list[str], tmp_path: Path) -> None:
    for path in (tmp_path / "web.yaml", tmp_path / "folder"):
        (path.touch if path.suffix else path.mkdir)(mode=0)

        ended = call(*(str(path) if word == "FILE" else word for word in arguments))

        assert_one_line(ended, 2, str(path), "permission denied; name a file")


def test_standard_input_with_nothing_in_it_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert problem("render", *CAREFUL, "-f", "-").startswith("-: no Greeting of example.com/v1, and no other object; ")

    monkeypatch.setattr("sys.stdin", None)  # so it is for a program whose standard input is closed
    assert problem("render", *CAREFUL, "-f", "-") == "- is standard input, and nothing is piped into it; name a file"


def test_a_named_pipe_is_read_once_something_is_written(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(Path(HI).read_text()))
    writer.start()

    assert call("render", *CAREFUL, "-f", str(pipe)).code == 0
    writer.join()


@pytest.mark.slow
@pytest.mark.parametrize(("make", "words"), large_files())
def test_a_large_file_takes_bounded_time_and_memory(
    make: Callable[[Path], object], words: list[str], tmp_path: Path
) -> None:
    make(tmp_path / "large")

    code, said = run_within_limits(["metahook.cli", "render", *CAREFUL, "-f", "large"], tmp_path)

    assert (code, said.count("\n")) == (2, 1), said
    assert all(word in said for word in words), said


def test_the_limit_of_memory_finds_a_reader_without_one(tmp_path: Path) -> None:
    BAD["billion laughs"][0](tmp_path / "web.yaml")
    (tmp_path / "careless.py").write_text("import json, yaml\njson.dumps(yaml.safe_load(open('web.yaml')))\n")

    code, said = run_within_limits(["careless"], tmp_path, memory=200 * 1024 * 1024)

    assert code != 0
    assert "MemoryError" in said or code < 0
