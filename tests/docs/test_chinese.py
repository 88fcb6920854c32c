"""The pages in Chinese: each has the outline of the English page, and is spelt as Chinese technical pages are."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.docs.outlines import outline, translated_link, translation
from tests.documents import ROOT

PAGES = [*sorted(ROOT.glob("*.zh.md")), *sorted(ROOT.glob("docs/*.zh.md"))]
README, WORDS, SETTINGS, RISKS = (
    ROOT / "README.zh.md",
    *(ROOT / f"docs/{name}.zh.md" for name in ("from-controller-runtime", "settings", "what-to-know")),
)
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def expected(page: Path) -> list[str]:
    """Return the outline that *page* must have: that of the English page, with links to Chinese pages."""
    english = translation(page)
    return outline(english.read_text(), partial(translated_link, english))


def test_the_readme_and_the_pages_for_a_first_look_are_in_chinese() -> None:
    assert {README, WORDS, SETTINGS, RISKS, ROOT / "docs/how-it-works.zh.md"} == set(PAGES)


@each_page
def test_a_page_has_the_outline_of_its_translation(page: Path) -> None:
    assert outline(page.read_text()) == expected(page)


@each_page
def test_a_page_and_its_translation_link_to_each_other(page: Path) -> None:
    english = translation(page)

    assert f"[English]({english.name}) | 中文\n" in page.read_text()
    assert f"English | [中文]({page.name})\n" in english.read_text()


@pytest.mark.parametrize(
    ("page", "old", "new"),
    [
        pytest.param(
            README, "kubectl apply -f examples/web.yaml", "kubectl apply -f examples/full.yaml", id="a command"
        ),
        pytest.param(WORDS, "Quiet after", "Stopped after", id="what a command prints"),
        pytest.param(README, "metadata: {name: web}", "metadata: {name: shop}", id="a line of code"),
        pytest.param(SETTINGS, r"^\| `--port` .*\n", "", id="a row that is missing"),
        pytest.param(SETTINGS, "`8080`", "`8090`", id="a cell with another default"),
        pytest.param(README, r"^## (?:[^#].*\n|\n)+?(?=## )", "", id="a section that is missing"),
        pytest.param(README, "^## ", "### ", id="a heading of another level"),
        pytest.param(README, r"^- .*\n(?:  .*\n)*(?=- )", "", id="an item that is missing"),
        pytest.param(README, r"^`MyResource` (?:.+\n)+", "", id="a paragraph that is missing"),
        pytest.param(RISKS, "`state`", "`status`", id="other code in a sentence"),
        pytest.param(README, "3.11", "3.12", id="another number in a sentence"),
        pytest.param(README, r"docs/operate\.md#many-myresources", "docs/operate.md", id="another link"),
        pytest.param(README, r"README\.md", "README.zh.md", id="a link to the wrong language"),
        pytest.param(
            README, r"from-controller-runtime\.zh", "from-controller-runtime", id="a link to the English page"
        ),
        pytest.param(README, ", e2e.deletion.its_children_are_deleted_with_it", "", id="a proof that is missing"),
    ],
)
def test_a_difference_is_found(page: Path, old: str, new: str) -> None:
    changed, count = re.subn(old, new, page.read_text(), count=1, flags=re.MULTILINE)

    assert count == 1
    assert outline(changed) != expected(page)


def test_a_link_to_a_heading_in_the_other_language_is_found() -> None:
    changed = WORDS.read_text().replace("(#谓词predicate)", "(#predicates)")

    assert changed != WORDS.read_text()
    assert outline(changed) != expected(WORDS)


def test_a_comment_in_code_is_translated() -> None:
    changed = re.sub(r"(make demo +)# .*", r"\1# 别的注释", README.read_text())

    assert changed != README.read_text()
    assert outline(changed) == expected(README)


HAN, LATIN, PUNCTUATION = r"[\u4e00-\u9fff]", "[A-Za-z0-9`]", r"[\u3001\u3002\uff01-\uff1f]"
MISSPELT = {
    "no space between Chinese and Latin": re.compile(f"{HAN}{LATIN}|{LATIN}{HAN}"),
    "punctuation of half width": re.compile(rf"{HAN}[,.;:!?()]"),
    "a space beside punctuation of full width": re.compile(rf"{PUNCTUATION} (?:{HAN}|{LATIN})|\S {PUNCTUATION}"),
    "a line that ends in the middle of a word": re.compile(rf"{HAN}\n *{HAN}"),
    "bold text that GitHub does not show in bold": re.compile(rf"\*\*(?! )[^*\n]+{PUNCTUATION}\*\*{HAN}"),
}


def misspelt(page: str) -> Iterator[tuple[str, str]]:
    """Yield what is wrong in the sentences of *page*, each with its place."""
    prose = re.sub(r"^```.*?^```$|^ {4,}.*?$|<!--.*?-->|(?<=\])\(.*?\)", "", page, flags=re.DOTALL | re.MULTILINE)
    for problem, pattern in MISSPELT.items():
        yield from ((problem, prose[found.start() - 10 : found.end() + 10]) for found in pattern.finditer(prose))


@each_page
def test_a_page_is_spelt_as_chinese_technical_pages_are(page: Path) -> None:
    assert list(misspelt(page.read_text())) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("一个Pod 会重启", "no space between Chinese and Latin"),
        ("使用 `spec`时", "no space between Chinese and Latin"),
        ("一个 Pod 会重启.", "punctuation of half width"),
        ("一个子资源\n会重启", "a line that ends in the middle of a word"),
        ("一个 Pod\uff0c 会重启", "a space beside punctuation of full width"),
        ("一个**子资源\u3002**会重启", "bold text that GitHub does not show in bold"),
        ("一个 Pod\n会重启\uff0c再 `spec`\u3002\n\n    make demo # 在Pod\n", None),
    ],
)
def test_a_misspelling_is_found(text: str, problem: str | None) -> None:
    assert [found for found, _ in misspelt(text)] == ([problem] if problem else [])
