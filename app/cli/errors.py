"""Errors of a command: wrong input, with the exit code and the message."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

MAX_DEPTH = 100
"""Levels of values in values. Objects that an API server stores have fewer, and Python recurses ten times as deep."""

TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"

EXIT_DIFFERENT = 1
"""Exit code of a command that compares, if something differs."""


CLI_EXTRA = "pip install ./metahook '.[cli]', at the root of the repository"
"""What installs the packages that only the command line needs: by path, as the packages are not published."""


class InputError(click.ClickException):
    """Raised for wrong input. The message is one line: the place, the problem and the remedy."""

    exit_code = 2  # 1 is a result: a spec is invalid, something differs, an expectation is not met


class DocumentError(ValueError):
    """Raised for text that is not YAML or JSON as kubectl reads it. Says where, if that is known, and why."""


@contextmanager
def input_errors() -> Iterator[None]:
    """Raise InputError for objects that are nested too deeply, and for packages that are not installed."""
    try:
        yield
    except RecursionError as error:
        message = "an object is nested too deeply; give objects that an API server has stored"
        raise InputError(message) from error
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        message = f"{click.get_current_context().info_name} needs {missing}; install it with: {CLI_EXTRA}"
        raise InputError(message) from error
