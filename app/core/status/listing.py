"""Lists several things in one message, as many as fit before the remedy."""

from collections.abc import Iterable

MOST = 700
"""Characters. A message may have 1024, and its remedy must not be cut off."""

AND_OTHERS = "and others"


def listing(things: Iterable[object], separator: str = ", ") -> str:
    """Return *things* in their order, each once; those that do not fit are ``and others``. The first always fits."""
    texts: list[str] = []
    length = 0
    for text in dict.fromkeys(map(str, things)):
        length += len(text) + len(separator)
        if texts and length > MOST:
            return separator.join([*texts, AND_OTHERS])
        texts.append(text)
    return separator.join(texts)
