"""Calls ``metahook`` as a user does, in this process."""

import io
from contextlib import redirect_stderr, redirect_stdout

import pytest

from metahook.cli.main import main
from tests.cli.command import CommandResult


def call(*arguments: str) -> CommandResult:
    """Run ``metahook`` with *arguments*."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main(arguments)
    return CommandResult(int(ended.value.code or 0), out.getvalue(), err.getvalue())


def problem(*arguments: str) -> str:
    """Return the one line that a command prints which can't do what *arguments* ask for."""
    ended = call(*arguments)
    assert (ended.code, ended.out) == (2, ""), ended
    assert ended.err.startswith("metahook: ")
    assert ended.err.count("\n") == 1
    return ended.err.removeprefix("metahook: ").removesuffix("\n")
