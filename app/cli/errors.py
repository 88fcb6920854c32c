"""What a command says when its input is wrong."""

import click


class InputError(click.ClickException):
    """Raised for input that is wrong. One line: what it is about, what is wrong, and the remedy."""
