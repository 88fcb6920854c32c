"""The console blocks of a document: each is a command and what it prints, errors too."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Console:
    """A command, and what the document says that it prints."""

    page: str
    command: str
    output: str

    def __str__(self) -> str:
        return f"{self.page}: {self.command[:200]}"


def consoles(page: str) -> list[Console]:
    """Return the console blocks of *page*, a file."""
    blocks: list[str] = re.findall(r"^```console\n(.*?)^```$", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    return [_console(page, block) for block in blocks]


def _console(page: str, block: str) -> Console:
    """Return *block* as a command and its output. A command continues after a backslash, and within single quotes."""
    lines = block.removeprefix("$ ").splitlines(keepends=True)
    commands = ("".join(lines[:end]) for end in range(1, len(lines) + 1))
    command = next((each for each in commands if each.count("'") % 2 == 0 and not each.endswith("\\\n")), None)
    if command is None or not block.startswith("$ "):
        message = f"{page}: a console block without a command"
        raise ValueError(message)
    return Console(page, command.strip(), block.removeprefix(f"$ {command}"))


def printed(command: str, cwd: Path = ROOT) -> str:
    """Return what *command* prints in a shell at *cwd*."""
    ended = subprocess.run(  # noqa: S602 - a document's command
        command, shell=True, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return ended.stdout
