"""Calls a command as a user does, in this process."""

import io
import os
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import pytest


@dataclass(frozen=True)
class CommandResult:
    """Exit code and output of a command."""

    code: int
    out: str
    err: str


def run(main: Callable[[Any], Any], *arguments: str) -> CommandResult:
    """Run the command whose function is *main* with *arguments*; what it sets in the environment is taken back."""
    written, err = io.BytesIO(), io.StringIO()
    out = io.TextIOWrapper(written, "utf-8", newline="", write_through=True)  # click writes completions in bytes
    with redirect_stdout(out), redirect_stderr(err), patch.dict(os.environ), pytest.raises(SystemExit) as ended:
        main(arguments)
    return CommandResult(int(ended.value.code or 0), written.getvalue().decode(), err.getvalue())


def assert_one_line(ended: CommandResult, code: int, *words: str, program: str = "metahook") -> None:
    """Assert that a command failed with one line on standard error, and printed nothing else."""
    assert ended.code == code
    assert ended.out == ""
    assert ended.err.startswith(f"{program}: ")
    assert ended.err.count("\n") == 1
    for word in words:
        assert word in ended.err
