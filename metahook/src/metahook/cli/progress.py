"""Progress on a terminal, for commands that may take longer than two seconds."""

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

import click

T = TypeVar("T")

MANY = 200
"""Items that take about a second."""


def with_progress(items: Sequence[T], label: str) -> Iterator[T]:
    """Yield *items*; if there are many, show on a terminal how many are done."""
    with click.progressbar(
        items,
        label=label,
        file=sys.stderr,
        hidden=len(items) < MANY or not sys.stderr.isatty(),
        show_eta=False,
        show_percent=False,
        show_pos=True,
    ) as shown:
        yield from shown
