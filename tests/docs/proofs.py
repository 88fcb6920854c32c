"""The ids of the tests that prove a sentence of a page, in comments that its readers do not see.

    Metacontroller deletes it. <!-- tests: e2e.deletion.its_children_are_deleted_with_it, life.another -->

``e2e.deletion.x`` is ``test_x`` in ``tests/e2e/test_deletion.py``, and ``hooks.greeting.greetings.x`` is ``test_x`` in
``examples/hooks/greeting/test_greetings.py``. The comment is in the paragraph or list item, or
follows a table. If no test can prove a sentence, a comment has the reason: ``<!-- no test: reason -->``. A page about
one topic can have one comment for all sentences: ``<!-- tests of this page: ... -->``.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.documents import ROOT

PAGES = ["README.md", "README.zh.md", *sorted(f"docs/{file.name}" for file in ROOT.glob("docs/*.md"))]
PAGES += [str(file.relative_to(ROOT)) for file in sorted(ROOT.glob("charts/*/README.md"))]
PAGES += [str(file.relative_to(ROOT)) for file in sorted(ROOT.glob("examples/hooks/**/README.md"))]

_MARK = re.compile(r"<!-- (tests|no test)( of this page)?: (.*?) -->", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_BEHAVIOUR = re.compile(r"\b(Metacontroller|API server|Kubernetes|kubelet)\b(?!'| 的|\*|,? \d)|API 服务器")
"""A sentence names one of these, except as a possessive (``Kubernetes' roles``, also in Chinese) or with a version."""
_NOT_PROSE = re.compile(r"^```.*?^```$|^(?: {4,}|#)[^\n]*$", re.DOTALL | re.MULTILINE)
_ITEM = re.compile(r"\n(?= *(?:[-*]|\d+\.) )")


def proofs(text: str) -> list[str]:
    """Return the ids of tests in *text*, a page or a part of one."""
    named = [match[3] for match in _MARK.finditer(text) if match[1] == "tests"]
    return [word.strip() for ids in named for word in ids.split(",")]


def exemptions(text: str) -> list[str]:
    """Return the reasons in *text* for the lack of a test."""
    return [" ".join(match[3].split()) for match in _MARK.finditer(text) if match[1] == "no test"]


def unproven(page: str) -> list[str]:
    """Return the paragraphs, items and tables of *page* about behaviour of others that have no id and no reason."""
    if any(match[2] for match in _MARK.finditer(page)):
        return []
    about = [block for block in _blocks(page) if _BEHAVIOUR.search(_COMMENT.sub("", block))]
    return [block for block in about if not _MARK.search(block)]


def _blocks(page: str) -> Iterator[str]:
    """Yield the paragraphs, items and tables of *page*, each with a comment that follows it."""
    block = ""
    for part in re.split(r"\n\s*\n", _prose(page)):
        first, *more = _ITEM.split(part)
        if _COMMENT.sub("", first).strip():
            yield block
            block = first
        else:
            block += first
        for item in more:
            yield block
            block = item
    yield block


def _prose(page: str) -> str:
    """Return *page* without code and headings, with each comment in one line."""
    return _NOT_PROSE.sub("", _COMMENT.sub(lambda found: " ".join(found[0].split()), page))


@cache
def collected() -> frozenset[str]:
    """Return the ids of all tests that pytest collects."""
    return frozenset(
        ".".join((*parts, file.stem.removeprefix("test_"), name))
        for file, parts in _files()
        for name in _functions(file)
    )


def _files() -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Yield each file of tests, and the parts of the id that come before its name."""
    for folder, first in ((ROOT / "tests", ()), (ROOT / "examples/hooks", ("hooks",))):
        for file in folder.rglob("test_*.py"):
            yield file, (*first, *file.relative_to(folder).parent.parts)


def _functions(file: Path) -> Iterator[str]:
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name.removeprefix("test_")
