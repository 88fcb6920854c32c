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


def served(*command: str) -> AbstractContextManager[Served]:
    """Run *command* (default: forked, ``myresource serve``) until the block ends, by default without a drain."""
    return process.served(*(command or (*FORKED, "serve")), MYRESOURCE_DRAIN="0")
