"""The operator's hook as a process of its own."""

import sys
from contextlib import AbstractContextManager

from toolkit.served import process
from toolkit.served.process import Served

SERVE = (sys.executable, "-m", "app", "serve")


def serve_with(**limits: float) -> tuple[str, ...]:
    """Return the command that serves with other constants among its limits."""
    given = (f"{name}={value}" for name, value in limits.items())
    return (sys.executable, "-m", "tests.service.with_limits", *given, "serve")


def served(*command: str) -> AbstractContextManager[Served]:
    """Run *command* (default: ``python -m app serve``) until the block ends, by default without a drain."""
    return process.served(*(command or SERVE), MYRESOURCE_DRAIN="0")
