"""Text for a terminal is wrap between words; URLs and commands stay whole."""

import pytest

from app.cli.wrapping import MIN_WIDTH, wrap

URL = "https://example.com/a/very/long/path/that-has-hyphens/and-is-longer-than-a-line/of-any-terminal/that-is-narrow"
COMMAND = "kubectl label --overwrite service web -n default controller-uid=00000002-0000-4000-8000-000000000002"
TEXT = (
    f"Service web belongs to another owner. Hand it over: {COMMAND}. For more see {URL} or the events, which say why."
)


@pytest.mark.parametrize("indent", [0, 12, 34])
@pytest.mark.parametrize("width", [10, 60, 80, 120])
def test_words_urls_and_commands_stay_whole(width: int, indent: int) -> None:
    shown = wrap(TEXT, width, indent)
    lines = shown.split("\n")

    assert URL in shown
    assert COMMAND in shown
    assert shown.split() == TEXT.split()
    assert all(line.startswith(" " * indent) for line in lines[1:])
    for line in lines:
        text = line.strip()
        assert len(text) <= max(width - indent, MIN_WIDTH) or URL in text or COMMAND in text


def test_text_that_fits_is_one_line() -> None:
    assert wrap("All is well.", 60, 12) == "All is well."
