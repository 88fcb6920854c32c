"""The outline of a page: what its translation has, too.

``docs/x.zh.md`` is the translation of ``docs/x.md``. Their outlines are equal: a line for each heading, block of code,
row of a table, item of a list and paragraph, with its code, numbers, links and proofs. Comments in code may differ.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.docs.proofs import exemptions, proofs

_FENCED = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
_BLOCK_ENDS = re.compile(r"\n\s*\n|\n(?=\|)|\n(?= *(?:[-*]|\d+\.) )")
_REMARK = re.compile(r"\s+# .*$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_MARKER = re.compile(r"(?:#+|[-*]|\d+\.) ")
_CELL_ENDS = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"(?<=\])\(([^)]+)\)")
_CODE_OR_NUMBER = re.compile(r"`[^`]+`|\d+(?:[.,]\d+)*")


def translation(page: Path) -> Path:
    """Return *page* in the other language, or *page* itself if there is none."""
    english = page.name.replace(".zh.md", ".md")
    other = page.with_name(english if english != page.name else f"{page.stem}.zh.md")
    return other if other.exists() else page


def translated_link(page: Path, link: str) -> str:
    """Return the link that stands for *link* in the translation of *page*."""
    name, _, anchor = link.partition("#")
    here = page.parent / name if name else page
    there = translation(here)
    if here == there:
        return link
    file = name and name.removesuffix(here.name) + there.name
    anchors = dict(zip(_anchors(here), _anchors(there), strict=False))
    return f"{file}#{anchors.get(anchor)}" if anchor else file


def outline(page: str, link: Callable[[str], str] = str) -> list[str]:
    """Return the outline of *page*, a text, with each link as *link* translates it."""
    return [line for block in _blocks(page) if (line := _line(block, link))]


def _anchors(page: Path) -> list[str]:
    """Return the anchors of the headings of *page*, as GitHub makes them."""
    headings = [block.lstrip("# ") for block in _blocks(page.read_text()) if block.startswith("#")]
    return [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]


def _blocks(page: str) -> Iterator[str]:
    for part in _FENCED.split(page):
        yield from [part] if part.startswith("```") else (block.strip("\n") for block in _BLOCK_ENDS.split(part))


def _line(block: str, link: Callable[[str], str]) -> str:
    """Return the line of *block*; "" for a comment that names no test."""
    if block.startswith("```console"):
        return block
    if block.startswith(("```", "    ")):
        return _REMARK.sub("", block)
    if block.startswith("|"):
        return " | ".join(_content(cell, link) for cell in _CELL_ENDS.split(block))
    shown = _COMMENT.sub("", block).strip()
    marker = _MARKER.match(shown)
    kind = marker[0] if marker else "text "
    content = _content(block.lstrip().removeprefix(kind), link)
    return kind + content if shown or content else ""


def _content(text: str, link: Callable[[str], str]) -> str:
    """Return the code, numbers, links and proofs of *text*, sorted, because the order of words differs."""
    shown = " ".join(_COMMENT.sub("", text).split())
    words = sorted(set(_CODE_OR_NUMBER.findall(_LINK.sub("", shown))))
    links = sorted(link(target) for target in _LINK.findall(shown))
    return " ".join([*words, *links, *proofs(text), *exemptions(text)])
