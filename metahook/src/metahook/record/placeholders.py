"""Placeholders: the texts that replace private ones in a recording.

Equal texts of one recording get the same placeholder, and different texts different ones, so a replay observes the same
drift. Each recording numbers its own: there is no hash that a reader could test guesses against.

A placeholder keeps what a hook decides from: the length, as the API server and the gate limit it; characters that the
API server refuses; and references such as ``$(NAME)`` to a variable. An empty text stays empty.
"""

from metahook.protocol.drift import variable_references

_PLAIN = "x"
_REFUSED = "\x7f"


class Placeholders:
    """The placeholders of one recording; *names* are those of its variables, among others."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._numbers: dict[str, int] = {}

    def short(self, text: str) -> str:
        """Return the placeholder of *text*, whatever its length."""
        return f"redacted({self._numbers.setdefault(text, len(self._numbers) + 1)})" if text else ""

    def padded(self, text: str) -> str:
        """Return the placeholder of *text*, as long as it is; longer if it has less than some ten characters."""
        if not text:
            return ""
        used = sorted(self._names & variable_references(text))
        start = self.short(text) + "".join(f"$({name})" for name in used)
        classes = text.translate(_CLASSES)
        plain, refused = classes.count(_PLAIN), classes.count(_REFUSED)
        others = classes.replace(_PLAIN, "").replace(_REFUSED, "")
        # In this order, the start takes the place of plain characters first, and of refused ones last.
        rest = (_PLAIN * plain + others + _REFUSED * refused)[len(start) :]
        return start + (rest or _REFUSED[:refused])


def _class_of(code: int) -> str:
    """Return a character of as many bytes, as Go and msgspec write JSON; one that the API server refuses if it does."""
    character = chr(code)
    if character < " " or character in '"\\\u2028\u2029':
        return character
    if character in "<>&":
        return "<"
    if "\x7f" <= character <= "\x9f" or character in "\ufffe\uffff":
        return _REFUSED
    return {1: _PLAIN, 2: "\u00e9", 3: "\u20ac"}.get(len(character.encode()), "\U0001f600")


class _Classes(dict[int, str]):
    """The classes of characters. Only those of ASCII are stored: there are a million others."""

    def __missing__(self, code: int) -> str:
        return _class_of(code)


_CLASSES = _Classes({code: _class_of(code) for code in range(128)})
