"""Aliases and nesting of YAML beyond the limits are refused by each command that reads it."""

from pathlib import Path

import pytest

from tests.cli.command import assert_one_line, call
from toolkit.hostile_yaml import BEYOND_THE_LIMITS

READERS = [
    pytest.param(["render", "-f", "FILE"], id="render"),
    pytest.param(["render", "-f", "examples/web.yaml", "--observed", "FILE"], id="render --observed"),
    pytest.param(["diff", "-f", "FILE", "--against", "examples/web.yaml"], id="diff"),
    pytest.param(["diff", "-f", "examples/web.yaml", "--against", "FILE"], id="diff --against"),
    pytest.param(["replay", "FILE"], id="replay"),
]


@pytest.mark.parametrize("arguments", READERS)
@pytest.mark.parametrize(("text", "words"), BEYOND_THE_LIMITS)
def test_aliases_and_nesting_beyond_the_limits_are_one_line(
    arguments: list[str], text: str, words: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "web.yaml"
    file.write_text(text)

    ended = call(*(str(file) if word == "FILE" else word for word in arguments))

    assert_one_line(ended, 2, str(file), *words)
