"""Puts the pages of the site into build/pages, for mkdocs: ``make site``.

They keep their paths, so that the links between them stay as they are. Files that they link to, such as an example, are
copied, too. mkdocs itself loads this module.
"""

import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
STAGED = ROOT / "build/pages"
PAGES = ("*.md", "docs/*.md", "charts/*/README.md", "metahook/README.md", "examples/hooks/**/README.md")
ASSETS = ("docs/iframe-worker.js", "docs/site.css")

_CODE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def pages(root: Path = ROOT) -> list[Path]:
    """Return the pages of the site."""
    return sorted({file for pattern in PAGES for file in root.glob(pattern)})


def linked(page: Path) -> Iterator[Path]:
    """Yield the files that *page* links to."""
    for link in _LINK.findall(_CODE.sub("", page.read_text())):
        file = (page.parent / link).resolve()
        if file.is_file():
            yield file


def stage(files: Iterable[Path], root: Path = ROOT, to: Path = STAGED) -> None:
    """Write *files*, which are pages, and those that they link to, below *to*."""
    shutil.rmtree(to, ignore_errors=True)
    pages = set(files)
    for file in pages | {file for page in pages for file in linked(page)}:
        target = to / file.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)


def on_post_page(output: str, page: Any, **_: object) -> str:  # noqa: ANN401 - mkdocs is not installed here
    """Return *output*, the HTML of *page*, with its language; mkdocs calls this. Browsers choose fonts by it."""
    return output.replace('<html lang="en"', '<html lang="zh"', 1) if page.file.src_uri.endswith(".zh.md") else output


if __name__ == "__main__":
    stage(pages())
    for asset in ASSETS:
        shutil.copy(ROOT / asset, STAGED / asset)
