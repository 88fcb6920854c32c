"""A page ``x.zh.md`` has the code, the headings, the links and the numbers of ``x.md``.

``make test`` leaves this file out, because of its name: a change can land before it is translated. Every week,
``.github/workflows/chinese.yml`` runs ``make test ONLY=tests/docs/chinese.py``.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.docs.documents import ROOT

PAGES = [*sorted(ROOT.glob("*.zh.md")), *sorted(ROOT.glob("docs/*.zh.md"))]

_BLOCK = re.compile(r"^```(?s:.*?)^```$|^ {4,}\S.*$", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#]*)[^)]*\)")


def code(page: str) -> list[str]:
    """Return the blocks of code and the indented commands of *page*, without their comments."""
    found: list[str] = _BLOCK.findall(page)
    return [block if block.startswith("```console") else re.sub(r"\s+# .*", "", block) for block in found]


def names(page: str) -> list[str]:
    """Return what *page* writes as code in its sentences and tables, each once."""
    return sorted({re.sub(r"\s+", " ", name) for name in re.findall(r"`[^`]+`", _BLOCK.sub("", page))})


def headings(page: str) -> list[str]:
    """Return the level of each heading of *page*."""
    return re.findall(r"^#+(?= )", _BLOCK.sub("", page), re.MULTILINE)


def links(page: str) -> list[str]:
    """Return what *page* links to: pages in either language, without the headings, whose names differ."""
    return sorted({link.replace(".zh.md", ".md") for link in _LINK.findall(page)})


def rows(page: str) -> list[list[str]]:
    """Return the code and the numbers in each row of the tables of *page*, each once."""
    return [sorted({*re.findall(r"`[^`]+`|[\d.]*\d", row)}) for row in re.findall(r"^\|.*", page, re.MULTILINE)]


def widths(page: str) -> list[str]:
    """Return the punctuation of *page* that is narrow after a Chinese character."""
    return re.findall(r"[\u4e00-\u9fff][,;:?!()]", _LINK.sub("", _BLOCK.sub("", page)))


@pytest.mark.parametrize("part", [code, names, headings, links, rows])
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_chinese_page_has_what_the_english_one_has(page: Path, part: Callable[[str], object]) -> None:
    english = page.with_name(page.name.replace(".zh", ""))

    assert part(page.read_text()) == part(english.read_text())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_chinese_page_links_to_chinese_pages_and_has_wide_punctuation(page: Path) -> None:
    text = page.read_text()
    linked = {(page.parent / link).resolve() for link in _LINK.findall(text.replace("[English]", ""))}

    assert [file for file in linked if file.with_suffix(".zh.md") in PAGES] == []
    assert widths(text) == []


PAGE = "# A\n\n    make x # why\n\nSee `x` in [b](b.md#c).\n\n| `y` | 5 |\n"


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        (code, "make x", "make z"),
        (names, "`x`", "`z`"),
        (headings, "# A", "## A"),
        (links, "b.md", "d.md"),
        (rows, "5", "6"),
        (widths, "See", "见:"),
    ],
)
def test_a_difference_would_be_found(part: Callable[[str], object], old: str, new: str) -> None:
    assert part(PAGE) != part(PAGE.replace(old, new))
    assert part(PAGE) == part(PAGE.replace("# why", "# 为什么").replace("b.md#c", "b.zh.md#丙").replace("in", "在"))
