"""Makes the site of the docs: ``make site``.

The pages are put into build/pages, where they keep their paths, so that the links between them stay as they are. Files
that they link to, such as an example, are copied, too. Zensical makes HTML of them. It runs no code of ours, so all
that the site has besides the text of the pages is done here, before or after.
"""

import importlib
import io
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout, suppress
from pathlib import Path
from types import ModuleType

from app.cli import main as myresource

ROOT = Path(__file__).parent.parent
STAGED = ROOT / "build/pages"
SITE = ROOT / "build/site"
PAGES = (
    "*.md",
    "docs/**/*.md",
    "charts/*/README.md",
    "metahook/README.md",
    "metahook/docs/*.md",
    "metahook/examples/**/README.md",
    "examples/hooks/*/README.md",
    "tests/e2e/README.md",
)
ASSETS = ("website/iframe-worker.js", "website/cards.js", "website/logo.svg", "website/site.css")
TRY_IT = ("docs/start/try-it.md", "docs/zh/try-it.zh.md")
"""The pages that show the demo as a page."""
DEMO = STAGED / "docs/start/demo.html"
CONTRIBUTORS = (
    "CONTRIBUTING.md",
    *(
        f"docs/contributing/{name}.md"
        for name in ("architecture", "testing", "performance", "release", "make-it-yours")
    ),
    "tests/e2e/README.md",
)
"""The pages for contributors: on the site by links, and not in its navigation."""

FRONT = """\
[Try it without a cluster](docs/start/try-it.md){ .md-button .md-button--primary }
[Install it](docs/clusters/install.md){ .md-button }
[Write your own hook](metahook/docs/write-your-own-hook.md){ .md-button }
{: .front }
"""
"""The links of the front page, which is README.md."""

REFERENCE = "metahook/docs/python-reference.md"
PACKAGES = {
    "metahook": "What a hook is made of.",
    "metahook.server": "For a program of your own that serves hooks. Needs the extra `server`.",
    "metahook.simulator": "A cluster in memory, for tests.",
    "metahook.simulator.findings": "What its history shows that a hook does wrong.",
    "metahook.testing": "Parents that Hypothesis generates. Needs the extra `test`.",
    "metahook.envtest": "A real control plane, for tests. Needs the extra `test`.",
    "metahook.commands": "For a command line of your own. Needs the extra `cli`.",
}
"""What each package is for that exports names."""

_CODE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_BREAK = re.compile(r"(?<=[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef])\n *(?=[\u4e00-\u9fff\uff00-\uffef])")
_PICTURE = re.compile(r"^!\[.*\n", re.MULTILINE)
_DEMO = re.compile(r"^ {4}make demo.*\n(?: {4}.*\n)*", re.MULTILINE)


def pages(root: Path = ROOT) -> list[Path]:
    """Return the pages of the site."""
    return sorted({file for pattern in PAGES for file in root.glob(pattern)})


def linked(page: Path) -> Iterator[Path]:
    """Yield the files that *page* links to."""
    for link in _LINK.findall(_CODE.sub("", page.read_text())):
        file = (page.parent / link).resolve()
        if file.is_file():
            yield file


def split(block: str) -> tuple[str, str]:
    """Return the command of *block*, the text of a console block, and its output; raise ValueError without a command.

    A command continues after a backslash, and within single quotes.
    """
    lines = block.removeprefix("$ ").splitlines(keepends=True)
    commands = ("".join(lines[:end]) for end in range(1, len(lines) + 1))
    command = next((each for each in commands if each.count("'") % 2 == 0 and not each.endswith("\\\n")), None)
    if command is None or not block.startswith("$ "):
        message = "a console block without a command"
        raise ValueError(message)
    return command, block.removeprefix(f"$ {command}")


def in_two(page: str) -> str:
    """Return *page* with each command in a block of its own, so that a copy is a command, and its output below."""
    return _CONSOLE.sub(lambda found: _blocks(*split(found[1])), page)


def joined(page: str) -> str:
    """Return *page* without the line breaks between Chinese characters, which browsers show as spaces."""
    return "".join(part if part.startswith("```") else _BREAK.sub("", part) for part in _CODE.split(page))


def _blocks(command: str, output: str) -> str:
    shown = f"``` {{ .bash .command }}\n{command}```"
    return f"{shown}\n\n``` {{ .text .output .no-copy }}\n{output}```" if output else shown


def front(readme: str, demo: str) -> str:
    """Return the front page: *readme* with its links above the picture, and below ``make demo`` what that prints."""
    parts = (
        (_PICTURE, lambda found: f"{FRONT}\n{found[0]}"),
        (_DEMO, lambda found: f"{found[0]}\n``` {{ .text .output .no-copy .demo }}\n{demo}```\n"),
    )
    for pattern, added in parts:
        readme, count = pattern.subn(added, readme, count=1)
        if not count:
            message = f"README.md has no {pattern.pattern}: adapt website/site.py"
            raise ValueError(message)
    return f"---\nhide: [navigation, toc]\n---\n{readme}"


def show_demo(page: Path) -> None:
    """Show the demo on the *page*, below its command; raise ValueError."""
    frame = f'<iframe class="demo" src="{os.path.relpath(DEMO, page.parent)}" title="make demo"></iframe>'
    text, count = re.subn(r"^ {4}make demo\n", f"\\g<0>\n{frame}\n", page.read_text(), count=1, flags=re.MULTILINE)
    if not count:
        message = f"{page.name} has no make demo: adapt website/site.py"
        raise ValueError(message)
    page.write_text(text)


def stage(files: Iterable[Path], root: Path = ROOT, to: Path = STAGED) -> None:
    """Write *files*, which are pages, and those that they link to, below *to*."""
    shutil.rmtree(to, ignore_errors=True)
    pages = set(files)
    for file in pages | {file for page in pages for file in linked(page)}:
        target = to / file.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        if file in pages:
            target.write_text(joined(in_two(file.read_text())))
        else:
            shutil.copy(file, target)


def exported(package: str) -> list[str]:
    """Return the names that *package* exports: those of ``__all__``, or all that are public and no modules."""
    module = importlib.import_module(package)
    public = [name for name, value in vars(module).items() if name[0] != "_" and not isinstance(value, ModuleType)]
    return sorted(getattr(module, "__all__", public), key=str.lower)


def reference() -> str:
    """Return the page REFERENCE, on which mkdocstrings puts what the source says of each name."""
    page = "# Python reference\n\nFor authors of hooks in Python. This page lists all names that `metahook` exports.\n"
    for package, text in PACKAGES.items():
        page += f"\n## {package}\n\n{text}\n" + "".join(f"\n::: {package}.{name}\n" for name in exported(package))
    return page


def finish(site: Path = SITE) -> None:
    """Leave out the roles of Sphinx in docstrings, and let the search find Chinese words."""
    page = (site / REFERENCE).with_suffix(".html")
    page.write_text(re.sub(":[a-z]+:(?=<code>)", "", page.read_text()))
    for index in site.glob("search.js*"):
        begin, found, rest = index.read_text().partition('"lang":["en"')
        if not found:
            message = f"{index} names no language: adapt website/site.py"
            raise ValueError(message)
        index.write_text(f'{begin}"lang":["en","zh"{rest}')


def main() -> None:
    """Write the site into build/site."""
    out = io.StringIO()
    stage(pages())
    with redirect_stdout(out), suppress(SystemExit):
        myresource(["simulate", "--scenario", "demo", "--html", str(DEMO)])
    for page in TRY_IT:
        show_demo(STAGED / page)
    readme = STAGED / "README.md"
    readme.write_text(front(readme.read_text(), out.getvalue()))
    (STAGED / REFERENCE).write_text(reference())
    for asset in ASSETS:
        (STAGED / asset).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / asset, STAGED / asset)
    shutil.rmtree(SITE, ignore_errors=True)
    links = {"EDIT_URI": "edit/main/"} if os.environ.get("REPOSITORY_URL") else {}
    subprocess.run(  # noqa: S603 - the program that make site installs
        [ROOT / "build/site-venv/bin/zensical", "build", "--clean", "--strict"],
        cwd=ROOT,
        env=os.environ | links,
        check=True,
    )
    finish()


if __name__ == "__main__":
    main()
