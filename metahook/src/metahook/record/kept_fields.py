"""The kept fields: the allow-list of what a recording keeps of an object, and what replaces all other texts.

A recording keeps the structure, numbers, and the texts of these fields, if they have the form that is listed.

Equal texts of one recording get the same placeholder, and different texts different ones, so a replay observes the same
drift. Each recording numbers its own: there is no hash that a reader could test guesses against. A placeholder keeps
what a hook decides from: the length, as the API server and the gate limit it; characters that the API server refuses;
and references such as ``$(NAME)`` to a variable. The value of a label becomes a valid one. An empty text stays empty.
"""

import re
import secrets
import string
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Union

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


Form = Union["Fields", re.Pattern[str], None]

Fields = Mapping[str, Form]
"""The fields of an object that are kept, with the form of their texts. ``*`` is any field; lists have no level."""

WORD = re.compile(r"[-A-Za-z0-9_.:/+%'\[\]]*(@sha(256|512):[0-9a-f]+)?")
"""A name, a number with a unit, a time, an image; nothing with spaces, or a password before an ``@``."""

ANY = re.compile(".*", re.DOTALL)
MESSAGE = re.compile("(?!)")
"""Of a message are kept the parts that the hook reads."""


def words(*names: str) -> Fields:
    """Return fields *names* whose texts are words."""
    return dict.fromkeys(names, WORD)


def merged(fields: Form, more: Form) -> Any:  # noqa: ANN401 - of the type of what is merged
    """Return *fields* and *more* of them."""
    if not isinstance(fields, Mapping) or not isinstance(more, Mapping):
        return more or fields
    return {name: merged(fields.get(name), more.get(name)) for name in {**fields, **more}}


CONDITIONS: Fields = {
    **words("type", "status", "reason", "lastProbeTime", "lastTransitionTime", "lastUpdateTime"),
    "message": MESSAGE,
}
OBJECT: Fields = {
    **words("apiVersion", "kind"),
    "metadata": {
        **words("name", "generateName", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "finalizers"),
        "ownerReferences": words("apiVersion", "kind", "name", "uid"),
        "labels": {TEMPLATE_HASH: HASH},
    },
    "status": {"conditions": CONDITIONS},
}
"""What is kept of an object of any kind."""

_RESOURCE = words("apiVersion", "resource")
_CHILD: Fields = {**_RESOURCE, "updateStrategy": words("method")}
FIELDS: Fields = {
    "controller": merged(
        OBJECT,
        {
            "spec": {
                **dict.fromkeys(("parentResource", "resources"), _RESOURCE),
                "childResources": _CHILD,
                "attachments": _CHILD,
                "hooks": {"*": {**words("version"), "webhook": words("responseUnMarshallMode", "timeout")}},
            },
        },
    ),
    "parent": OBJECT,
    "object": OBJECT,
    "relatedResources": {**_RESOURCE, **words("namespace", "names")},
}
"""What is kept of a field of a request or a response."""


def form_of(form: Form, name: str) -> Form:
    """Return the form of the field *name*."""
    return form.get(name, form.get("*")) if isinstance(form, Mapping) else None


def kept_texts(value: object, fields: Form) -> Iterator[str]:
    """Yield the texts of *value* that are kept."""
    if isinstance(value, dict) and isinstance(fields, Mapping):
        for name, inner in value.items():
            yield from kept_texts(inner, form_of(fields, name))
    elif isinstance(value, list):
        for item in value:
            yield from kept_texts(item, fields)
    elif isinstance(value, str) and isinstance(fields, re.Pattern) and fields.fullmatch(value):
        yield value
