"""What make site puts on the site, before mkdocs makes HTML of it. ``tests/site`` opens the site itself."""

import re
from pathlib import Path

from docs.site import ROOT, pages, stage

NAVIGATION = re.findall(r"^ *- (?:[^:\n]+: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)


def test_every_page_is_once_in_the_navigation() -> None:
    assert sorted(NAVIGATION) == [str(page.relative_to(ROOT)) for page in pages()]


def test_pages_keep_their_paths_and_bring_the_files_that_they_link_to(tmp_path: Path) -> None:
    for name, text in {"docs/a.md": "[x](../b.yaml#c) [y](http://e.com)", "b.yaml": "a: b"}.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text)
    stage(pages(tmp_path / "in"), tmp_path / "in", tmp_path / "out")

    staged = {str(file.relative_to(tmp_path / "out")): file.read_text() for file in (tmp_path / "out").rglob("*.*")}
    assert staged == {"docs/a.md": "[x](../b.yaml#c) [y](http://e.com)", "b.yaml": "a: b"}
