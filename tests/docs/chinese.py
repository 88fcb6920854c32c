"""A page ``x.zh.md`` has the code, the headings, the links and the numbers of the English page that it links to.

``make test`` leaves this file out, because of its name: a change can land before it is translated. Every week,
``.github/workflows/chinese.yml`` runs ``make test ONLY=tests/docs/chinese.py``.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.reasons import REASONS, Outlook
from website.site import pages
from website.troubleshoot import CHINESE

_OTHER = re.compile(r"\[(?:English|中文)\]\((.*?)\)")
"""The link between a page and the one in the other language."""

PAGES = {
    page: (page.parent / found[1]).resolve()
    for page in pages()
    if page.name.endswith(".zh.md") and (found := _OTHER.search(page.read_text()))
}
"""The Chinese pages, each with the English one."""

_BLOCK = re.compile(r"^```(?s:.*?)^```$|^ {4,}\S.*$", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#]*)[^)]*\)")


def code(page: str) -> list[str]:
    """Return the blocks of code and the indented commands of *page*, without their comments."""
    found: list[str] = _BLOCK.findall(page)
    return [block if block.startswith("```console") else re.sub(r"\s+# .*", "", block) for block in found]


def names(page: str) -> list[str]:
    """Return what *page* writes as code in its sentences and tables, each once, without what is to be filled in."""
    found = re.findall(r"`[^`]+`", _BLOCK.sub("", page))
    return sorted({re.sub(r"\s+", " ", re.sub("<[^>]*>", "<>", name)) for name in found})


def headings(page: str) -> list[str]:
    """Return the level of each heading of *page*."""
    return re.findall(r"^#+(?= )", _BLOCK.sub("", page), re.MULTILINE)


def links(page: str) -> list[str]:
    """Return the files that *page* links to: in either language, without the way to them and headings, which differ."""
    found = {link.replace(".zh.md", ".md") for link in _LINK.findall(_OTHER.sub("", page))}
    return sorted("/".join(Path(link).parts[-2 if link.endswith("README.md") else -1 :]) for link in found)


def rows(page: str) -> list[list[str]]:
    """Return the code and the numbers in each row of the tables of *page*, each once."""
    return [sorted({*re.findall(r"`[^`]+`|[\d.]*\d", row)}) for row in re.findall(r"^\|.*", page, re.MULTILINE)]


def widths(page: str) -> list[str]:
    """Return the punctuation of *page* that is narrow after a Chinese character."""
    return re.findall(r"[\u4e00-\u9fff][,;:?!()]", _LINK.sub("", _BLOCK.sub("", page)))


def unmarked(page: Path) -> list[Path]:
    """Return the English pages that *page* links to, if the first link to one is in a clause without 英文."""
    marks: dict[Path, bool] = {}
    for clause in re.split(r"[|。\n]", _OTHER.sub("", _BLOCK.sub("", page.read_text()))):
        for link in _LINK.findall(clause):
            if link.endswith(".md") and not link.endswith(".zh.md"):
                marks.setdefault((page.parent / link).resolve(), "英文" in clause)
    return [linked for linked, is_marked in marks.items() if not is_marked]


PARTS = [code, names, headings, links, rows]


def test_every_chinese_page_links_to_the_english_one() -> None:
    assert [page.name.replace(".zh", "") for page in PAGES] == [page.name for page in PAGES.values()]
    assert {*PAGES} == {page for page in pages() if page.name.endswith(".zh.md")}
    assert all(any(part(page.read_text()) for page in PAGES) for part in PARTS)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_chinese_page_has_what_the_english_one_has(page: Path, part: Callable[[str], object]) -> None:
    assert part(page.read_text()) == part(PAGES[page].read_text())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_chinese_page_links_to_chinese_pages_and_has_wide_punctuation(page: Path) -> None:
    text = page.read_text()
    linked = {(page.parent / link).resolve() for link in _LINK.findall(_OTHER.sub("", text))}

    assert linked & {*PAGES.values()} == set()
    assert unmarked(page) == []
    assert widths(text) == []


def test_a_link_to_an_english_page_is_marked_once(tmp_path: Path) -> None:
    page = tmp_path / "a.zh.md"
    page.write_text("[乙](b.md#c) 英文、[丙](c.zh.md)、[丁](d.yaml)。又见[乙](b.md)。[戊](e.md)\n")

    assert unmarked(page) == [tmp_path / "e.md"]
    assert widths("见:") == ["见:"]


def terms(text: str) -> list[str]:
    """Return the fields, kinds, commands, options and numbers in *text*, in the singular."""
    return sorted(
        {*re.findall(r"--?[a-z][\w-]*|\w+[.=][\w.=]*\w|\w*[a-z][A-Z]\w*?(?=s?\b)|kubectl [a-z]+|\d+", text, re.ASCII)}
    )


def test_the_texts_of_the_reasons_are_those_of_the_english_page() -> None:
    texts = {text for reason in REASONS.values() for text in (reason.cause, reason.remedy)}
    labels = ["meaning", "reasons", "Message:", "Why:", "What to do:", ", "]

    assert {*CHINESE} == {*texts, *labels, *(outlook.value for outlook in Outlook)}
    assert [english for english, chinese in CHINESE.items() if terms(english) != terms(chinese)] == []
