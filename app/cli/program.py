"""A program with commands. It turns every error into one line and an exit code."""

import errno
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import click

_UNWRITABLE = {errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ENOSPC}
"""Errors of writing to a file, when standard output is redirected."""


@dataclass(frozen=True)
class Program:
    """The commands of *group*, as a user calls them: *name* begins each error, and is in each usage."""

    group: click.Group
    name: str

    def main(self, arguments: Sequence[str] | None = None) -> NoReturn:
        """Run the command in *arguments*, by default those of the process, and exit."""
        for stream in (sys.stdin, sys.stdout):
            if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() != "utf-8":
                stream.reconfigure(encoding="utf-8")  # kubectl reads and writes UTF-8 in any locale
        sys.exit(self._exit_code(sys.argv[1:] if arguments is None else list(arguments)))

    def _exit_code(self, arguments: list[str]) -> int:
        code = 0
        try:
            code = self._run(arguments)
            print(end="", flush=True)
        except BrokenPipeError:
            _drop_output()
        except OSError as error:
            if error.errno not in _UNWRITABLE:
                raise
            _drop_output()
            reason = (error.strerror or "unknown error").lower()
            code = self._report(f"cannot write the output: {reason}; write to another file", 2)
        return code

    def _run(self, arguments: list[str]) -> int:
        """Run the command and return its exit code."""
        try:
            return self._invoke(arguments)
        except click.exceptions.Exit as exit_:
            return exit_.exit_code
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx else self.name
            return self._report(f"{_one_line(error)}; see: {path} --help", 2)
        except click.ClickException as error:
            return self._report(_one_line(error), error.exit_code)
        except (click.Abort, KeyboardInterrupt):
            return 130

    def _invoke(self, arguments: list[str]) -> int:
        try:
            with self.group.make_context(self.name, arguments) as context:
                code = self.group.invoke(context)
        except click.exceptions.NoArgsIsHelpError as error:
            print(error.format_message())
            code = 0
        return code if isinstance(code, int) else 0

    def _report(self, message: str, code: int) -> int:
        print(f"{self.name}: {message}", file=sys.stderr)
        return code


def _drop_output() -> None:
    """Redirect standard output to nowhere, so that the flush at the end of the process does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _one_line(error: click.ClickException) -> str:
    line = " ".join(error.format_message().split()).removesuffix(".")
    # A file name in a message may hold control characters, which would move the cursor. printable() of metahook can't
    # be used: this reports also that metahook is not installed.
    return "".join(letter if letter.isprintable() else "?" for letter in line)
