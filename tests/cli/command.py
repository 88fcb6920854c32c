"""Calls the operator's command as a user does, in this process."""

import io
from contextlib import redirect_stdout
from functools import partial

import pytest

from app.cli import main
from toolkit import command
from toolkit.command import CommandResult, run

__all__ = ["CommandResult"]


def call(*arguments: str) -> CommandResult:
    """Run ``myresource`` with *arguments*."""
    return run(main, *arguments)


assert_one_line = partial(command.assert_one_line, program="myresource")


class Terminal(io.StringIO):
    """A terminal that keeps what it shows, and at which nobody types."""

    def isatty(self) -> bool:
        """Say that it is one."""
        return True


def shown(*arguments: str) -> str:
    """Return what ``myresource`` with *arguments* shows at a terminal."""
    terminal = Terminal()
    with redirect_stdout(terminal), pytest.raises(SystemExit):
        main(arguments)
    return terminal.getvalue()
