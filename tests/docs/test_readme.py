"""The documents: their commands are run, their code is run, their tables are compared."""

import io
import re
from pathlib import Path

import pytest

from tests.cli.command import call
from toolkit.documents import blocks

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "docs/start/try-it.md", "docs/start/first-myresource.md"]
)
def test_a_page_names_targets_that_the_makefile_has(page: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"^    make ([a-z-]+)", (ROOT / page).read_text(), re.MULTILINE))

    assert named
    assert named <= targets


@pytest.mark.parametrize("line", re.findall(r"`\.venv/bin/myresource (.*)`", README))
def test_the_commands_of_the_readme_run(line: str) -> None:
    ended = call(*line.split())

    assert (ended.code, ended.err) == (0, "")
    assert ended.out


def test_the_myresource_of_the_readme_equals_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = blocks(README, "yaml")
    monkeypatch.setattr("sys.stdin", io.StringIO(block))

    rendered = [call("render", "-f", file, "--now", "2026-01-31T12:00:00Z") for file in ("-", "examples/web.yaml")]

    assert rendered[0] == rendered[1]
    assert rendered[0].code == 0
