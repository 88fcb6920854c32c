"""Redaction: what a recording keeps of a request and its response. A replay decides the same.

Kept are the structure, numbers, and the texts of the :mod:`~metahook.record.kept_fields`. Placeholders replace all
other texts.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from metahook.protocol.bodies import try_read
from metahook.protocol.objects import Json, object_or_empty
from metahook.protocol.observed import LAST_APPLIED
from metahook.protocol.request import Body
from metahook.record.kept_fields import (
    FIELDS,
    MESSAGE,
    OBJECT,
    Fields,
    Form,
    Placeholders,
    TemplateHashes,
    form_of,
    kept_texts,
    merged,
)

_LISTED = {"attachments", "children"}
"""The fields of a response with objects, in a list."""

_GROUPS = {*_LISTED, "related"}
"""The fields of a request with objects, by kind and name."""

_ROOTS = ("parent", "object")
"""The fields of a request with the object that it is for."""

_CONTENT = {"data", "binaryData", "stringData"}
"""The fields with the content of a ConfigMap or Secret."""

_VALUES = {*_CONTENT, "args", "command", "env", "httpHeaders"}
"""Fields whose numbers and texts are values that users choose."""

_DECIDING = {"metadata", "spec"}
"""The fields of an object of which the hook makes children, whose size counts: their placeholders are as long."""

_KEY = re.compile("[-A-Za-z0-9_./]*")
_SECRET = "Secret.v1"  # noqa: S105 - a kind
_SECRET_KINDS = ("Secret", "SecretList")
_SECRET_TEXT = re.compile(r"kind\W+Secret(List)?\b")
"""In a text that has a Secret as JSON or YAML, such as an annotation with what was applied last; also if it is cut."""
_RECORD = "last-applied-configuration"
"""The end of the annotations that have the text of an object: kubectl's and Metacontroller's."""

_OPEN_WORDS = ("key", "name", "namespace")
"""The groups of a pattern that match any text."""


def _no_hashes(_: Body) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True)
class Redaction:
    """What is kept for a replay with one hook, and how the hook's hashes become those of placeholders."""

    keeps_values: bool = False
    """Whether all texts are kept but those of and with Secrets, hashes, and what other clients applied last."""
    fields: Fields = field(default_factory=dict)
    """What else is kept, by the field of a request or response, or by the kind of an object: ``Deployment.apps/v1``."""
    hash_annotations: frozenset[str] = frozenset()
    """The annotations in which the hook publishes hashes of ConfigMaps or Secrets.

    Readers could test guesses against them, and a replay computes other hashes, from placeholders.
    """
    messages: tuple[re.Pattern[str], ...] = ()
    """What the hook reads in messages. What a group key, name or namespace matches is kept only if it is a name."""
    hashes: Callable[[Body], Mapping[str, str]] = _no_hashes
    """Returns the hashes that the hook computes from a sync request, by annotation."""

    def redact(self, request: Body, response: bytes) -> tuple[bytes, bytes]:
        """Return *request* and its *response*, all of them JSON, without what is redacted."""
        decoded = msgspec.json.decode(request)
        walk = _Walk(self, decoded)
        redacted = msgspec.json.encode(walk.request(decoded))
        answer = msgspec.json.encode(walk.response(msgspec.json.decode(response)))
        if not walk.has_hashes:
            return redacted, answer
        before, after = self._computed(request), self._computed(redacted)
        for annotation in sorted(before.keys() & after.keys()):
            old, new = walk.placeholders.padded(before[annotation]).encode(), after[annotation].encode()
            redacted, answer = redacted.replace(old, new), answer.replace(old, new)
        return redacted, answer

    def _computed(self, request: bytes | bytearray) -> Mapping[str, str]:
        try:
            return self.hashes(request)
        except Exception:  # noqa: BLE001 - a request at which the hook fails is recorded, too
            return {}


class _Place(NamedTuple):
    """Where a value is: in an object of *group*, in a field of values, or of which the size counts."""

    group: str = ""
    is_value: bool = False
    is_sized: bool = False

    def below(self, name: str) -> "_Place":
        """Return the place of the field *name* here."""
        return self._replace(is_value=self.is_value or name in _VALUES, is_sized=self.is_sized and name not in _CONTENT)


def _objects(request: Json) -> Iterator[tuple[str, Json]]:
    """Yield each object in *request*, after its group."""
    yield from ((name, object_or_empty(request.get(name))) for name in _ROOTS)
    for groups in (object_or_empty(request.get(name)) for name in _GROUPS):
        for group, items in groups.items():
            yield from ((group, object_or_empty(item)) for item in object_or_empty(items).values())


class _Walk:
    """Goes through JSON, which may have any shape: a hook reads only a part of it, and leniently."""

    def __init__(self, redaction: Redaction, request: Json) -> None:
        self._redaction = redaction
        self._fields: Fields = merged(FIELDS, redaction.fields)
        objects = list(_objects(request))
        self._names = frozenset(name for group, item in objects for name in kept_texts(item, self._fields_of(group)))
        self.placeholders = Placeholders(self._names)
        self._renamed = TemplateHashes(objects).replaced_in
        self._decided = _Place(_SECRET if _is_secret(request.get("object")) else "")
        """The place of what a response sets on the object of a decorator."""
        self.has_hashes = False
        """Whether there are annotations with hashes."""

    def request(self, request: Json) -> Json:
        """Return the *request* without what is redacted."""
        return {
            name: self._groups(value) if name in _GROUPS else self._object(value, name)
            for name, value in request.items()
        }

    def response(self, response: Any) -> Any:  # noqa: ANN401 - JSON, of any shape
        """Return the *response* without what is redacted."""
        if not isinstance(response, dict):
            return self._value(response, None, _Place())
        return {
            name: [self._object(child, _group_of(child)) for child in value]
            if name in _LISTED and isinstance(value, list)
            else self._value(value, self._fields.get(name), self._decided)
            for name, value in response.items()
        }

    def _fields_of(self, group: str) -> Fields:
        fields = self._fields.get(group)
        return fields if isinstance(fields, Mapping) else OBJECT

    def _named(self, items: Any, redacted: Callable[[Any, str], Any]) -> Any:  # noqa: ANN401 - JSON, of any shape
        """Return *items*, by names, as they are *redacted*."""
        if not isinstance(items, dict):
            return self._value(items, None, _Place())
        named = {self._key(name): redacted(item, name) for name, item in items.items()}
        # Sorted again, because the order of names shows that of the hashes in them.
        return dict(sorted(named.items()))

    def _groups(self, groups: Any) -> Any:  # noqa: ANN401 - JSON, of any shape
        return self._named(groups, lambda items, group: self._named(items, lambda item, _: self._object(item, group)))

    def _object(self, item: Any, group: str) -> Any:  # noqa: ANN401 - JSON, of any shape
        """Return the object *item* of *group*, which is its kind, or the name of a field of the request."""
        fields = self._fields_of(group)
        if not isinstance(item, dict):
            return self._value(item, self._fields.get(group), _Place(group))
        place = _Place(_SECRET if _is_secret(item) else group)
        sized = () if group == "controller" else _DECIDING
        return {
            self._key(name): self._value(
                inner, fields.get(name), place._replace(is_sized=name in sized).below(name), name
            )
            for name, inner in item.items()
        }

    def _value(self, value: Any, form: Form, place: _Place, name: str = "") -> Any:  # noqa: ANN401 - JSON, of any shape
        """Return *value* of the field *name* without what is redacted."""
        if isinstance(value, dict):
            if name == "annotations":
                return {self._key(key): self._annotation(key, text, form, place) for key, text in value.items()}
            if _is_secret(value):
                place = place._replace(group=_SECRET)
            return {
                self._key(key): self._value(inner, form_of(form, key), place.below(key), key)
                for key, inner in value.items()
                if key != "managedFields"
            }
        if isinstance(value, list):
            return [self._value(item, form, place) for item in value]
        if isinstance(value, str):
            return self._text(value, form, place)
        is_kept = not place.is_value or self._keeps(place) or value is None or isinstance(value, bool)
        return value if is_kept else 0

    def _annotation(self, key: str, text: Any, form: Form, place: _Place) -> Any:  # noqa: ANN401 - JSON, of any shape
        """Return the value of an annotation, which is a hash, the JSON of an object, or another text."""
        if not isinstance(text, str):
            return self._value(text, None, place)
        if key in self._redaction.hash_annotations:
            self.has_hashes = True
            return self.placeholders.padded(text)
        if not key.endswith(_RECORD):
            return self._text(text, form_of(form, key), place)
        record = try_read(text.encode(), Json) if key == LAST_APPLIED else None
        if record is None:
            return self.placeholders.padded(text)
        return msgspec.json.encode(self._object(record, place.group)).decode()

    def _keeps(self, place: _Place) -> bool:
        """Tell whether values at *place* are kept."""
        return self._redaction.keeps_values and place.group != _SECRET

    def _text(self, text: str, form: Form, place: _Place) -> str:
        if self._keeps(place) and not _SECRET_TEXT.search(text):
            return self._renamed(text)
        if isinstance(form, re.Pattern) and form.fullmatch(text):
            return self._renamed(text)
        if form is MESSAGE:
            return self._message(text)
        return self.placeholders.padded(text) if place.is_sized else self.placeholders.short(text)

    def _key(self, name: str) -> str:
        """Return the name of a field as it is recorded."""
        return self._renamed(name) if _KEY.fullmatch(name) else self.placeholders.short(name)

    def _message(self, text: str) -> str:
        """Return what the hook reads of the message *text*, with placeholders for the rest."""
        found = sorted(
            (match for each in self._redaction.messages for match in each.finditer(text)), key=re.Match.start
        )
        parts, end = [], 0
        for match in found:
            if match.start() >= end:
                parts += [self.placeholders.short(text[end : match.start()]), self._read_part(match)]
                end = match.end()
        return "".join([*parts, self.placeholders.short(text[end:])])

    def _read_part(self, match: re.Match[str]) -> str:
        """Return the text of *match*, with placeholders for what looks like a name and is none."""
        text = match[0]
        for name in match.re.groupindex.keys() & _OPEN_WORDS:
            if match[name] not in self._names:
                text = text.replace(match[name], self.placeholders.short(match[name]))
        return self._renamed(text)


def _is_secret(item: object) -> bool:
    return isinstance(item, dict) and item.get("kind") in _SECRET_KINDS


def _group_of(child: object) -> str:
    return f"{child.get('kind')}.{child.get('apiVersion')}" if isinstance(child, dict) else ""
