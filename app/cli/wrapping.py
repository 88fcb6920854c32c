"""Wrapping of text for a terminal: between words, with each URL and each command in one line, to be copied."""

import re
import textwrap

_COMMAND = re.compile(r"(?:^|(?<=: ))(?:kubectl|myresource) .*?(?=[.;,] |\.?$)")
_SPACE = "\0"

MIN_WIDTH = 40
"""Columns that text gets on a narrower terminal, too."""


def wrap(text: str, width: int, indent: int = 0) -> str:
    """Return *text* in lines of at most *width* columns, longer only for one long piece; the first is not indented."""
    pieces = _COMMAND.sub(lambda match: match[0].replace(" ", _SPACE), text)
    columns = max(width - indent, MIN_WIDTH)
    lines = textwrap.wrap(pieces, columns, break_long_words=False, break_on_hyphens=False)
    return f"\n{'':{indent}}".join(lines).replace(_SPACE, " ")
