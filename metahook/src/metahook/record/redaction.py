"""Redaction: replaces what users keep private in a recorded request and its response. A replay decides the same.

Private are some fields of containers, wherever they are in an object, and the content of ConfigMaps and Secrets.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from metahook.protocol.reading import try_read
from metahook.protocol.request import Body
from metahook.record.placeholders import Placeholders

Json = dict[str, Any]

_CONTENT = {"data", "binaryData", "stringData"}
"""The fields with the content of a ConfigMap or Secret."""

_GROUPS = {"children", "related"}
"""The fields of a request with objects, by kind and name."""

_RECORD = "last-applied-configuration"
"""The end of the annotations that hold a whole object: kubectl's and Metacontroller's."""

_NAME = re.compile(rb'"name\\*"\s*:\s*\\*"([-._A-Za-z0-9]+)')
"""A field ``name``, also in the text of an annotation. Names are recorded, so references to them may be, too."""


def _no_hashes(_: Body) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True)
class Redaction:
    """What is redacted: the content of Secrets, ``managedFields``, hashes, and values."""

    keeps_values: bool = False
    """Whether values are recorded: of environment variables, HTTP headers, commands, arguments, and ConfigMaps."""
    hash_annotations: frozenset[str] = frozenset()
    """The annotations in which the hook publishes hashes of ConfigMaps or Secrets.

    Readers could test guesses against them, and a replay computes other hashes, from placeholders.
    """
    read_messages: tuple[str, ...] = ()
    """For which reasons of a waiting container the hook reads the message. Any other can have the command."""
    hashes: Callable[[Body], Mapping[str, str]] = _no_hashes
    """Returns the hashes that the hook computes from a sync request, by annotation."""

    def redact(self, request: Body, response: bytes) -> tuple[bytes, bytes]:
        """Return *request* and its *response*, all of them JSON, without what is redacted."""
        placeholders = Placeholders(frozenset(name.decode() for name in _NAME.findall(request)))
        walk = _Walk(self, placeholders)
        redacted = msgspec.json.encode(walk.request(_decoded(request)))
        answer = msgspec.json.encode(walk.value(msgspec.json.decode(response)))
        if not walk.has_hashes:
            return redacted, answer
        before, after = self._computed(request), self._computed(redacted)
        for annotation in sorted(before.keys() & after.keys()):
            old, new = placeholders.padded(before[annotation]).encode(), after[annotation].encode()
            redacted, answer = redacted.replace(old, new), answer.replace(old, new)
        return redacted, answer

    def _computed(self, request: bytes | bytearray) -> Mapping[str, str]:
        try:
            return self.hashes(request)
        except Exception:  # noqa: BLE001 - a request at which the hook fails is recorded, too
            return {}


_Fields = dict[str, msgspec.Raw]


def _decoded(request: Body) -> Json:
    """Return *request*, decoded in parts: a call of msgspec keeps all other threads waiting until it is done."""
    fields = msgspec.json.decode(request, type=_Fields)
    return {name: _groups(raw) if name in _GROUPS else msgspec.json.decode(raw) for name, raw in fields.items()}


def _groups(raw: msgspec.Raw) -> Any:  # noqa: ANN401 - JSON, of any shape
    groups = try_read(raw, dict[str, _Fields])
    if groups is None:
        return msgspec.json.decode(raw)
    return {key: {name: _without_managed_fields(item) for name, item in group.items()} for key, group in groups.items()}


def _without_managed_fields(raw: msgspec.Raw) -> Any:  # noqa: ANN401 - JSON, of any shape
    """Return the object *raw*, decoded except for ``managedFields``, which are most of a Pod."""
    fields = try_read(raw, _Fields) or {}
    metadata = try_read(fields.get("metadata", b"null"), _Fields)
    if metadata is None:
        return msgspec.json.decode(raw)
    left = {name: msgspec.json.decode(inner) for name, inner in metadata.items() if name != "managedFields"}
    return {name: left if name == "metadata" else msgspec.json.decode(inner) for name, inner in fields.items()}


class _Walk:
    """Goes through JSON, which may have any shape: a hook reads only a part of it, and leniently."""

    def __init__(self, redaction: Redaction, placeholders: Placeholders) -> None:
        self._redaction = redaction
        self._placeholders = placeholders
        private: dict[str, Callable[[Any], Any]] = {
            "args": self._hidden,
            "command": self._hidden,
            "env": self._variables,
            "httpHeaders": self._variables,
            "terminated": self._without_message,
            "waiting": self._waiting,
        }
        self._fields = {
            "annotations": self._annotations,
            "metadata": self._metadata,
            **({} if redaction.keeps_values else private),
        }
        self._kinds = ("Secret",) if redaction.keeps_values else ("ConfigMap", "Secret")
        self.has_hashes = False
        """Whether there are annotations with hashes."""

    def request(self, request: Json) -> Json:
        """Return the *request* without what is redacted."""
        return {
            name: self._groups(value) if name in _GROUPS else self.value(value, name) for name, value in request.items()
        }

    def value(self, value: Any, name: str = "", kind: str = "") -> Any:  # noqa: ANN401 - JSON, of any shape
        """Return *value* of the field *name* as it is redacted; if it is an object, *kind* is its kind by its group."""
        if isinstance(value, dict | list) and name in self._fields:
            return self._fields[name](value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        return self._object(value, kind) if isinstance(value, dict) else value

    def _object(self, item: Json, kind: str = "") -> Json:
        content = _CONTENT if kind in self._kinds or item.get("kind") in self._kinds else ()
        return {
            name: self._hidden(value, is_padded=False) if name in content else self.value(value, name)
            for name, value in item.items()
        }

    def _groups(self, groups: Any) -> Any:  # noqa: ANN401 - JSON, of any shape
        if not isinstance(groups, dict):
            return self.value(groups)
        return {key: self._group(group, key.partition(".")[0]) for key, group in groups.items()}

    def _group(self, group: Any, kind: str) -> Any:  # noqa: ANN401 - JSON, of any shape
        if not isinstance(group, dict):
            return self.value(group)
        return {name: self.value(item, kind=kind) for name, item in group.items()}

    def _hidden(self, value: Any, *, is_padded: bool = True) -> Any:  # noqa: ANN401 - JSON, of any shape
        """Return *value* with placeholders for its texts, and 0 for its numbers."""
        if isinstance(value, dict):
            return {name: self._hidden(inner, is_padded=is_padded) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._hidden(inner, is_padded=is_padded) for inner in value]
        if isinstance(value, str):
            return self._placeholders.padded(value) if is_padded else self._placeholders.short(value)
        return value if value is None or isinstance(value, bool) else 0

    def _variables(self, value: Any) -> Any:  # noqa: ANN401 - JSON, of any shape
        """Return environment variables, or headers. Each has a name, which is kept, and may have a value."""
        return [self._variable(item) for item in value] if isinstance(value, list) else self._hidden(value)

    def _variable(self, item: Any) -> Any:  # noqa: ANN401 - JSON, of any shape
        if not isinstance(item, dict):
            return self._hidden(item)
        return {
            name: self._hidden(inner) if name == "value" else self.value(inner, name) for name, inner in item.items()
        }

    def _without_message(self, value: Any) -> Any:  # noqa: ANN401 - JSON, of any shape
        """Return the state of a container, whose message is the application's, or can have its command."""
        left = self.value(value)
        if not isinstance(left, dict) or "message" not in left:
            return left
        return {**left, "message": self._hidden(left["message"], is_padded=False)}

    def _waiting(self, value: Any) -> Any:  # noqa: ANN401 - JSON, of any shape
        is_read = isinstance(value, dict) and value.get("reason") in self._redaction.read_messages
        return self.value(value) if is_read else self._without_message(value)

    def _metadata(self, value: Any) -> Any:  # noqa: ANN401 - JSON, of any shape
        if not isinstance(value, dict):
            return self.value(value)
        return self._object({name: inner for name, inner in value.items() if name != "managedFields"})

    def _annotations(self, value: Any) -> Any:  # noqa: ANN401 - JSON, of any shape
        if not isinstance(value, dict):
            return self.value(value)
        return {key: self._annotation(key, text) for key, text in value.items()}

    def _annotation(self, key: str, text: Any) -> Any:  # noqa: ANN401 - JSON, of any shape
        """Return the value of an annotation, which is a hash, the JSON of an object, or another text."""
        if not isinstance(text, str):
            return self.value(text)
        if key in self._redaction.hash_annotations:
            self.has_hashes = True
            return self._placeholders.padded(text)
        record = try_read(text.encode(), Json) if text.startswith("{") else None
        is_record = key.endswith(_RECORD)
        if record is None:
            return self._placeholders.padded(text) if is_record else text
        redacted = self._object(record, "Secret" if is_record and "kind" not in record else "")
        return msgspec.json.encode(redacted).decode() if is_record or redacted != record else text
