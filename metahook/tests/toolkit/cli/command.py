"""Calls ``metahook`` as a user does, in this process."""

from metahook.cli.program import main
from toolkit.command import CommandResult, assert_one_line, run


def call(*arguments: str) -> CommandResult:
    """Run ``metahook`` with *arguments*."""
    return run(main, *arguments)


def problem(*arguments: str, code: int = 2) -> str:
    """Return the one line that a command prints which can't do what *arguments* ask for, and ends with *code*."""
    ended = call(*arguments)
    assert_one_line(ended, code)
    return ended.err.removeprefix("metahook: ").removesuffix("\n")
