"""What make site puts on the site, before HTML is made of it. ``tests/site`` opens the site itself."""

import importlib
import re
from pathlib import Path

import pytest

from website.site import (
    CONTRIBUTORS,
    FRONT,
    PACKAGES,
    REFERENCE,
    ROOT,
    front,
    in_two,
    joined,
    linked,
    pages,
    reference,
    stage,
)

NAVIGATION = re.findall(r"^ *- (?:[^:\n]+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)


def test_every_page_is_once_in_the_navigation_or_is_for_contributors_and_is_linked() -> None:
    first, *others = CONTRIBUTORS
    index = ROOT / "docs/README.md"

    assert sorted([*NAVIGATION, *CONTRIBUTORS]) == sorted(
        [REFERENCE, *(str(page.relative_to(ROOT)) for page in pages())]
    )
    assert f"]({first})" in (ROOT / "README.md").read_text()
    assert [page for page in others if f"]({page}" not in (ROOT / first).read_text()] == []
    assert {page for page in pages() if page.is_relative_to(index.parent)} - {*linked(index)} == {index}


def test_the_python_reference_has_each_name_that_a_package_exports() -> None:
    shown = reference().splitlines()
    texts = {package: Path(importlib.import_module(package).__file__ or "").read_text() for package in PACKAGES}
    names = [(package, name) for package, text in texts.items() for name in re.findall(r"\b(\w+) as \1\b", text)]

    assert len(names) > 100
    assert [(package, name) for package, name in names if f"::: {package}.{name}" not in shown] == []


def test_pages_keep_their_paths_and_bring_the_files_that_they_link_to(tmp_path: Path) -> None:
    for name, text in {"docs/a.md": "[x](../b.yaml#c) [y](http://e.com)", "b.yaml": "a: b"}.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text)
    stage(pages(tmp_path / "in"), tmp_path / "in", tmp_path / "out")

    staged = {str(file.relative_to(tmp_path / "out")): file.read_text() for file in (tmp_path / "out").rglob("*.*")}
    assert staged == {"docs/a.md": "[x](../b.yaml#c) [y](http://e.com)", "b.yaml": "a: b"}


def test_a_page_is_changed_for_the_site() -> None:
    page = "a\n\n```console\n$ echo 'b\nc' \\\n  d\nb\n```\n\n```console\n$ d\n```\n"
    two = "``` { .bash .command }\necho 'b\nc' \\\n  d\n```\n\n``` { .text .output .no-copy }\nb\n```"
    shown = front((ROOT / "README.md").read_text(), "12.00s  you\n")

    # A command and its output are two blocks.
    assert in_two(page) == f"a\n\n{two}\n\n``` {{ .bash .command }}\nd\n```\n"
    # A line break between Chinese characters is no space.
    assert joined("- 一\n  二 a\n三\n\n四") == "- 一二 a\n三\n\n四"
    # The front page has its links above the picture, and the demo below its command.
    assert shown.index(FRONT) < shown.index("![") < shown.index("make demo") < shown.index("12.00s  you")
    with pytest.raises(ValueError, match="adapt"):
        front("# No picture\n", "")
