"""docs/start/evaluate.md: the figures are those of the pages that it names."""

import re

import pytest

from tests.docs.documents import ROOT

PAGE = ROOT / "docs/start/evaluate.md"
ROWS = re.findall(r"^\| (.*) \| (.*) \| \[\w+\]\((\S+)#(\S+)\) \|$", PAGE.read_text(), re.MULTILINE)
"""The rows of the table of figures: what, the figure, and the page and the section that have it."""


def section(page: str, anchor: str) -> str:
    """Return the section of *page*, relative to the page, whose heading has *anchor*; empty if there is none."""
    parts = re.split(r"^#+ (.*)$", (PAGE.parent / page).read_text(), flags=re.MULTILINE)
    named = dict(zip(parts[1::2], parts[2::2], strict=True))
    return "".join(text for heading, text in named.items() if heading.lower().replace(" ", "-") == anchor)


def unknown(figure: str, text: str) -> list[str]:
    """Return the numbers of *figure*, with units that belong to them, that *text* does not have."""
    numbers = re.findall(r"\d[\d.,]*\w*", figure)
    return [number for number in numbers if not re.search(rf"(?<![\d.,]){re.escape(number)}(?![\w]|[.,]\d)", text)]


@pytest.mark.parametrize(("figure", "page", "anchor"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_figure_is_in_the_section_that_the_page_names(figure: str, page: str, anchor: str) -> None:
    assert re.search(r"\d", figure)
    assert unknown(figure, section(page, anchor)) == []


def test_each_figure_has_a_source_and_another_figure_is_found() -> None:
    table = PAGE.read_text().partition("| what | figure | from |\n")[2].partition("\n\n")[0]

    assert len(table.splitlines()[1:]) == len(ROWS) > 3
    assert unknown("1.5 to 7 times", "some 5.7 s and 1.5 times") == ["7"]
