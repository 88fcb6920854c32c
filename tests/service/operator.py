"""The operator's hook as a process of its own."""

import sys
from contextlib import AbstractContextManager

from toolkit.forked import preload
from toolkit.served import process
from toolkit.served.process import Served

SERVE = (sys.executable, "-m", "app", "serve")
FORKED = (sys.executable, "-c", "from app.cli import main; main()")
"""The program in a process that :mod:`toolkit.forked` starts at once."""
preload("app.cli.serve", "app.cli.bound")


def serve_with(**limits: float) -> tuple[str, ...]:
    """Return the command that serves with other constants among its limits."""
    given = (f"{name}={value}" for name, value in limits.items())
    return (sys.executable, "-c", "from tests.service.with_limits import run; run()", *given, "serve")


def served(*command: str) -> AbstractContextManager[Served]:
    """Run *command* (default: forked, ``myresource serve``) until the block ends, by default without a drain."""
    return process.served(*(command or (*FORKED, "serve")), MYRESOURCE_DRAIN="0")
