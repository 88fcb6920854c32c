"""Text for a terminal: wrapped between words, with each URL and each command in one line, to be copied; and tables."""

import re
import shutil
import sys
import textwrap
from collections.abc import Sequence

from metahook.commands import printable

COMMAND = re.compile(r"(?:^|(?<=: ))(?:kubectl|myresource) .*?(?=[.;,] |\.?$)")
"""A command in a sentence: at its start, or after a colon."""

MIN_WIDTH = 40
"""Columns that text gets on a narrower terminal, too."""

Row = tuple[str, str]
"""A label and its text."""

_SPACE = "\0"
_INDENT = 12


def wrap(text: str, width: int, indent: int = 0) -> str:
    """Return *text* in lines of at most *width* columns, longer only for one long piece; the first is not indented."""
    pieces = COMMAND.sub(lambda match: match[0].replace(" ", _SPACE), text)
    columns = max(width - indent, MIN_WIDTH)
    lines = textwrap.wrap(pieces, columns, break_long_words=False, break_on_hyphens=False)
    return f"\n{'':{indent}}".join(lines).replace(_SPACE, " ")


def page(title: str, rows: list[Row]) -> str:
    """Return *title*, and *rows* below it with their texts aligned."""
    return "\n".join([_fitted(title), "", *(row(label, text) for label, text in rows)])


def row(label: str, text: str, indent: int = _INDENT) -> str:
    """Return *text* after its *label*, both in lines that fit the terminal."""
    return f"{label:{indent}}{_fitted(text, indent)}"


def _fitted(text: str, indent: int = 0) -> str:
    """Return *text* in lines that fit the terminal; elsewhere a line is a line."""
    return wrap(text, shutil.get_terminal_size().columns, indent) if sys.stdout.isatty() else text


_GAP = 3


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return *rows*, all of the same length; the first is the header."""
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) + _GAP for column in zip(*cells, strict=True)]
    return "\n".join(_line(row, widths) for row in cells)


def _line(row: list[str], widths: list[int]) -> str:
    return "".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
