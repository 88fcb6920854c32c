"""What a command says when its input is wrong."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

MAX_DEPTH = 100
"""Levels of values in values. Objects that an API server stores have fewer, and Python recurses ten times as deep."""

TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"

DIFFERENT = 1
"""Exit code of a command that compares: something differs."""


class InputError(click.ClickException):
    """Raised for input that is wrong. One line: what it is about, what is wrong, and the remedy."""

    exit_code = 2  # 1 is an answer of the command: a spec is invalid, something differs, an expectation is not met


class DocumentError(ValueError):
    """Raised for text that is not YAML or JSON as kubectl reads it. Says where, if that is known, and why."""


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
