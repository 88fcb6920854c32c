"""Rows of text with aligned columns, as kubectl prints them."""

from collections.abc import Sequence

from metahook.protocol.printable import printable

_GAP = 3


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return *rows*, all of the same length; the first is the header."""
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) + _GAP for column in zip(*cells, strict=True)]
    return "\n".join(_line(row, widths) for row in cells)


def _line(row: list[str], widths: list[int]) -> str:
    return "".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
