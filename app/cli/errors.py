"""What a command says when its input is wrong."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

DIFFERENT = 1
"""Exit code of a command that compares: something differs."""


class InputError(click.ClickException):
    """Raised for input that is wrong. One line: what it is about, what is wrong, and the remedy."""

    exit_code = 2  # 1 is an answer of the command: a spec is invalid, something differs, an expectation is not met


class NotYaml(ValueError):
    """Raised for text that is no YAML. Says in which line and why."""


@contextmanager
def comparison_errors() -> Iterator[None]:
    """Raise InputError for what keeps a command from comparing."""
    try:
        yield
    except RecursionError as error:
        message = "an object is nested too deeply to be compared; give objects that an API server has stored"
        raise InputError(message) from error
    except ModuleNotFoundError as error:
        message = f"this needs {error.name}; install it with: pip install 'myresource-operator[cli]'"
        raise InputError(message) from error
