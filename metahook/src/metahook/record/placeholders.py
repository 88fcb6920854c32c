"""Placeholders: the texts that replace private ones in a recording.

Equal texts of one recording get the same placeholder, and different texts different ones, so a replay observes the same
drift. Each recording numbers its own: there is no hash that a reader could test guesses against.

A placeholder keeps what a hook decides from: the length, as the API server and the gate limit it; characters that the
API server refuses; and references such as ``$(NAME)`` to a variable. The value of a label becomes a valid one. An empty
text stays empty.
"""

import re
import secrets
import string
from collections.abc import Iterable, Iterator
from typing import Any

from metahook.protocol.drift import variable_references
from metahook.protocol.objects import object_or_empty

TEMPLATE_HASH = "pod-template-hash"
HASH = re.compile("[a-z0-9]{4,10}")
"""The hash of a Pod template. Source: Kubernetes, pkg/util/hash, and apimachinery, util/rand, SafeEncodeString."""

_NAMED_BY_HASH = ("ControllerRevision.", "ReplicaSet.")
"""The kinds whose names end in a hash."""

_PLAIN = "x"
_REFUSED = "\x7f"


class Placeholders:
    """The placeholders of one recording; *names* are those of its variables, among others."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names
        self._numbers: dict[str, int] = {}

    def short(self, text: str) -> str:
        """Return the placeholder of *text*, whatever its length."""
        return f"redacted-{self._numbers.setdefault(text, len(self._numbers) + 1)}" if text else ""

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


class TemplateHashes:
    """Random texts in place of the hashes of Pod templates in one recording.

    Anyone can compute such a hash from a guess of what is redacted in the template.
    """

    def __init__(self, objects: Iterable[tuple[str, dict[str, Any]]]) -> None:
        found = {text for group, item in objects for text in _hashes_of(group, item) if HASH.fullmatch(text)}
        self._random = {text: "".join(secrets.choice(string.ascii_lowercase) for _ in range(10)) for text in found}
        self._any = re.compile(rf"\b(?:{'|'.join(found)})\b") if found else None

    def replaced_in(self, text: str) -> str:
        """Return *text*, such as the name of a Pod, with random hashes."""
        return self._any.sub(lambda match: self._random[match[0]], text) if self._any else text


def _hashes_of(group: str, item: dict[str, Any]) -> Iterator[str]:
    """Yield what may be hashes of Pod templates in the metadata of *item*."""
    metadata = object_or_empty(item.get("metadata"))
    owners = metadata.get("ownerReferences")
    named = [owner for owner in owners if isinstance(owner, dict)] if isinstance(owners, list) else []
    made = [owner.get("name") for owner in named if owner.get("kind") == "ReplicaSet"]
    own = [metadata.get("name")] if group.startswith(_NAMED_BY_HASH) else []
    yield from (str(name).rpartition("-")[2] for name in [*made, *own])
    yield str(object_or_empty(metadata.get("labels")).get(TEMPLATE_HASH))
