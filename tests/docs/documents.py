"""The console blocks of a document: each is a command and what it prints, errors too."""

import io
import re
import shlex
import subprocess
import sysconfig
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from unittest.mock import patch

from app.cli import main
from toolkit.documents import Console, blocks
from website.site import split

ROOT = Path(__file__).parents[2]


def consoles(page: str) -> list[Console]:
    """Return the console blocks of *page*, a file."""
    found = map(split, blocks((ROOT / page).read_text(), "console"))
    return [Console(page, command.strip(), output) for command, output in found]


_MYRESOURCE = re.compile(r"\.venv/bin/myresource ([^|&;<>()$*?`\n]*)")


def printed(command: str, cwd: Path = ROOT) -> str:
    """Return what *command* prints in a shell at *cwd*; to save time, ``myresource`` in a pipe runs here."""
    parts = command.split(" | ")
    for number, part in enumerate(parts):
        if cwd == ROOT and (found := _MYRESOURCE.fullmatch(part)):
            before, after = (" | ".join(each) for each in (parts[:number], parts[number + 1 :]))
            shown = _printed_here(shlex.split(found[1]), _in_shell(before, cwd) if before else "")
            return _in_shell(after, cwd, shown) if after else shown
    return _in_shell(command, cwd)


def _in_shell(command: str, cwd: Path, given: str = "") -> str:
    here = command.replace(".venv/bin/", f"{sysconfig.get_path('scripts')}/")
    ended = subprocess.run(  # noqa: S602 - a document's command
        here, shell=True, cwd=cwd, input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return ended.stdout


def _printed_here(arguments: list[str], given: str) -> str:
    """Return what ``myresource`` with *arguments* prints, with *given* as its standard input."""
    out = io.StringIO()
    with (
        chdir(ROOT),
        patch("sys.stdin", io.StringIO(given)),
        redirect_stdout(out),
        redirect_stderr(out),
        suppress(SystemExit),
    ):
        main(arguments)
    return out.getvalue()
