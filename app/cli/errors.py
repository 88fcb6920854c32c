"""What a command says when its input is wrong."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

DIFFERENT = 1
"""Exit code of a command that compares: something differs."""


class InputError(click.ClickException):
    """Raised for input that is wrong. One line: what it is about, what is wrong, and the remedy."""


class Trouble(InputError):
    """The same, raised by a command that compares: there 1 says that something differs."""

    exit_code = 2


class NotYaml(ValueError):
    """Raised for text that is no YAML. Says in which line and why."""


@contextmanager
def errors_are_trouble() -> Iterator[None]:
    """Raise as Trouble whatever InputError is raised."""
    try:
        yield
    except RecursionError as error:
        message = "an object is nested too deeply to be compared; give objects that an API server has stored"
        raise Trouble(message) from error
    except InputError as error:
        raise Trouble(error.message) from error
    except ModuleNotFoundError as error:
        message = f"this needs {error.name}; install it with: pip install 'myresource-operator[cli]'"
        raise Trouble(message) from error
