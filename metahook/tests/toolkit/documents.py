"""The blocks of the pages in ``docs/``: code, and commands with what they print."""

import re
from dataclasses import dataclass

from toolkit.root import ROOT

_SHOWN = re.compile(r"\$ ((?:'[^']*'|\\\n|[^'\n])*)\n((?s:.*))")


@dataclass(frozen=True)
class Console:
    """A command, and what its page says that it prints."""

    page: str
    command: str
    output: str

    def __str__(self) -> str:
        return f"{self.page}: {self.command}"


def page(name: str) -> str:
    """Return the text of a page."""
    return (ROOT / f"docs/{name}.md").read_text()


def blocks(text: str, language: str) -> list[str]:
    """Return the blocks of *language* in *text*."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def consoles(name: str) -> list[Console]:
    """Return the console blocks of a page. A command continues after a backslash, and within single quotes."""
    shown = [_SHOWN.fullmatch(block) for block in blocks(page(name), "console")]
    return [Console(name, found[1], found[2]) for found in shown if found]
