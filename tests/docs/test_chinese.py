"""A page ``x.zh.md`` has the code, the headings, the links and the numbers of ``x.md``."""

import re
from pathlib import Path

import pytest

from tests.docs.documents import ROOT

PAGES = [*sorted(ROOT.glob("*.zh.md")), *sorted(ROOT.glob("docs/*.zh.md"))]


def code(page: str) -> list[str]:
    """Return the blocks of code and the indented commands of *page*, without their comments."""
    found: list[str] = re.findall(r"^```(?s:.*?)^```$|^ {4,}\S.*$", page, re.MULTILINE)
    return [block if block.startswith("```console") else re.sub(r"\s+# .*", "", block) for block in found]


def headings(page: str) -> list[str]:
    """Return the level of each heading of *page*."""
    return re.findall(r"^#+(?= )", re.sub(r"^```.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)


def links(page: str) -> set[str]:
    """Return what *page* links to: pages in either language, without the headings, whose names differ."""
    return {link.partition("#")[0].replace(".zh.md", ".md") for link in re.findall(r"\]\(([^)]+)\)", page)}


def numbers(page: str) -> list[list[str]]:
    """Return the numbers in each row of the tables of *page*, each once."""
    return [sorted({*re.findall(r"[\d.]*\d", row)}) for row in re.findall(r"^\|.*", page, re.MULTILINE)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_chinese_page_has_the_code_the_headings_the_links_and_the_numbers_of_the_english_one(page: Path) -> None:
    chinese, english = page.read_text(), page.with_name(page.name.replace(".zh", "")).read_text()

    assert code(chinese) == code(english)
    assert headings(chinese) == headings(english)
    assert links(chinese) == links(english)
    assert numbers(chinese) == numbers(english)
