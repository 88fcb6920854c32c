"""Errors of a command: wrong input, with the exit code and the message."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from metahook import extras

MAX_DEPTH = 100
"""Levels of values in values. Objects that an API server stores have fewer, and Python recurses ten times as deep."""

TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"

EXIT_DIFFERENT = 1
"""Exit code of a command that compares, if something differs."""

EXIT_UNFINISHED = 2
"""Exit code of a command that found nothing, and has not looked everywhere."""

EXTRA = extras.install_command("cli")
"""What installs the packages that only the command line needs."""

_INSTALL = "metahook.cli.install"


class InputError(click.ClickException):
    """Raised for wrong input. Each of its *lines* has the place, the problem and the remedy."""

    exit_code = 2  # 1 is a result: an object is refused, something differs, an expectation is not met

    def __init__(self, *lines: str) -> None:
        super().__init__("; ".join(lines))
        self.lines = lines


class Refused(InputError):
    """Raised for objects that a cluster refuses."""

    exit_code = 1


class DocumentError(ValueError):
    """Raised for text that is not YAML or JSON as kubectl reads it: *problem*, in a *line* if that is known."""

    def __init__(self, problem: str, line: int | None = None) -> None:
        super().__init__(problem if line is None else f"line {line}: {problem}")
        self.problem = problem
        self.line = line


def set_install_command(context: click.Context, command: str) -> None:
    """Have the errors of the program in *context* name *command* where a package is not installed."""
    context.meta[_INSTALL] = command


def install_command() -> str:
    """Return the command that installs what the program that runs needs."""
    context = click.get_current_context(silent=True)
    command: str = context.meta.get(_INSTALL, EXTRA) if context else EXTRA
    return command


def program_name() -> str:
    """Return the name of the program that runs, for a command in an error."""
    context = click.get_current_context(silent=True)
    return str(context.find_root().info_name) if context else "metahook"


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
        message = f"{click.get_current_context().info_name} needs {missing}; install it with: {install_command()}"
        raise InputError(message) from error
