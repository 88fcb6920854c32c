"""Calls the operator's command as a user does, in this process."""

from functools import partial

from app.cli import main
from toolkit import command
from toolkit.command import CommandResult, run

__all__ = ["CommandResult"]

LISTENS = ("env", "--default-signal=INT")
"""Runs a command that Ctrl-C ends, even if these tests run in the background, where shells ignore Ctrl-C."""


def call(*arguments: str) -> CommandResult:
    """Run ``myresource`` with *arguments*."""
    return run(main, *arguments)


assert_one_line = partial(command.assert_one_line, program="myresource")
