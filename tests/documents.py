"""The console blocks of a document: each is a command and what it prints, errors too."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Console:
    """A command, and what the document says that it prints."""

    page: str
    command: str
    output: str

    def __str__(self) -> str:
        return f"{self.page}: {self.command[:200]}"


def consoles(page: str) -> list[Console]:
    """Return the console blocks of *page*, a file; a command goes on in the next line after a backslash."""
    blocks: list[str] = re.findall(r"^```console\n(.*?)^```$", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    return [_console(page, block) for block in blocks]


def _console(page: str, block: str) -> Console:
    match = re.fullmatch(r"\$ ((?:[^\n]*\\\n)*[^\n]*\n)(.*)", block, re.DOTALL)
    if match is None:
        message = f"{page}: a console block without a command"
        raise ValueError(message)
    return Console(page, match[1].strip(), match[2])


def printed(command: str, cwd: Path = ROOT) -> str:
    """Return what *command* prints in a shell at *cwd*."""
    ended = subprocess.run(  # noqa: S602 - a document's command
        command, shell=True, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return ended.stdout
