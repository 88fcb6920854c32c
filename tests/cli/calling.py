"""Calls the command as a user does, in this process."""

import io
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

import pytest

from app.cli import main

LISTENS = ("env", "--default-signal=INT")
"""Runs a command that heeds Ctrl-C, even where these tests run in the background, which ignores it."""


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


def call(*arguments: str) -> Ended:
    """Run ``myresource`` with *arguments*."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
        main(arguments)
    return Ended(int(ended.value.code or 0), out.getvalue(), err.getvalue())


def assert_one_line(ended: Ended, code: int, *words: str) -> None:
    """Check that a command failed as it should: nothing printed but one line on standard error."""
    assert ended.code == code
    assert ended.out == ""
    assert ended.err.startswith("myresource: ")
    assert ended.err.count("\n") == 1
    for word in words:
        assert word in ended.err
