"""Wrapping: breaks text for a terminal between words; a URL or a command that can be copied stays in one piece."""

import re
import textwrap

_COMMAND = re.compile(r"(?:^|(?<=: ))(?:kubectl|myresource) .*?(?=[.;,] |\.?$)")
_SPACE = "\0"

NARROWEST = 40
"""Columns that text gets in any case."""


def wrapped(text: str, width: int, indent: int = 0) -> str:
    """Return *text* in lines of at most *width* columns if no piece is longer; all but the first are indented."""
    pieces = _COMMAND.sub(lambda found: found[0].replace(" ", _SPACE), text)
    columns = max(width - indent, NARROWEST)
    lines = textwrap.wrap(pieces, columns, break_long_words=False, break_on_hyphens=False)
    return f"\n{'':{indent}}".join(lines).replace(_SPACE, " ")
