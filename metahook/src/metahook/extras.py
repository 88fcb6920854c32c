"""The extras of the distribution: what installs a package that is missing."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


def install_command(extra: str) -> str:
    """Return the command that installs *extra*: by path, as metahook is not published."""
    return f"pip install './metahook[{extra}]', at the root of the repository"


@contextmanager
def needs(extra: str, program: str) -> Iterator[None]:
    """Exit with one line that names what to install, if *program* lacks a package of *extra* in the block."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        print(f"{program}: needs {missing}; install it with: {install_command(extra)}", file=sys.stderr)  # noqa: T201 - an error of a command
        raise SystemExit(2) from None


@contextmanager
def named(extra: str, package: str) -> Iterator[None]:
    """Let the error for a package that is missing in the block say which *extra* of metahook *package* needs."""
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"{error}; {package} needs the extra {extra}: pip install './metahook[{extra}]'"
        raise ModuleNotFoundError(message, name=error.name) from error
