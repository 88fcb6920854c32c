"""Requests: a body becomes a parent, its children, and the related objects, or it is malformed."""

import codecs
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from metahook.protocol.objects import MalformedRequest, Metadata, Object, Observed, read, try_read
from metahook.protocol.observed import Children, Groups
from metahook.protocol.related import Related

Body = bytes | bytearray
"""A request as it is read from a socket."""

Envelope = TypeVar("Envelope", bound="_CustomizeEnvelope")

_UTF8 = codecs.getincrementaldecoder("utf-8")
_SLICE = 64 * 1024
"""Bytes."""

_NULL = msgspec.Raw(b"null")

_LONGEST = 253
"""Characters of a name in Kubernetes, at most."""


class _Parent(Observed, frozen=True):
    metadata: Metadata
    spec: msgspec.Raw = _NULL
    status: msgspec.Raw = _NULL


class _CustomizeEnvelope(Observed, frozen=True):
    parent: _Parent


class _SyncEnvelope(_CustomizeEnvelope, frozen=True, kw_only=True):
    children: Groups
    related: Groups | None = None


@dataclass(frozen=True)
class Parent:
    """The parent object. ``spec`` and ``status`` are its JSON, for the controller to read in its own way."""

    name: str
    namespace: str
    uid: str
    generation: int
    created: str | None
    """When it was created, in RFC 3339."""
    deleting: bool
    spec: bytes
    status: bytes


@dataclass(frozen=True)
class CustomizeRequest:
    """Asks which related objects a parent's sync needs. Answer from the spec alone: answers are cached."""

    parent: Parent

    @classmethod
    def decode(cls, body: Body) -> "CustomizeRequest":
        """Return the request that *body* (JSON) holds; raise MalformedRequest if it holds none."""
        return cls(_parent(_opened(body, _CustomizeEnvelope).parent))


@dataclass(frozen=True)
class SyncRequest:
    """Asks for the desired children and the status of a parent, given what is observed."""

    parent: Parent
    children: Children
    related: Related

    @classmethod
    def decode(cls, body: Body, kinds: tuple[type[Object], ...]) -> "SyncRequest":
        """Return the request that *body* (JSON) holds, with children of *kinds*; raise MalformedRequest."""
        envelope = _opened(body, _SyncEnvelope)
        parent = _parent(envelope.parent)
        return cls(
            parent=parent,
            children=Children(envelope.children, kinds, namespace=parent.namespace, owner_uid=parent.uid),
            related=Related(envelope.related or {}, namespace=parent.namespace),
        )


def _opened(body: Body, envelope: type[Envelope]) -> Envelope:
    try:
        _check_utf8(body)
    except UnicodeDecodeError:
        message = "not UTF-8"
        raise MalformedRequest(message) from None
    try:
        return read(body, envelope)
    except MalformedRequest:
        raise MalformedRequest(_problem(body)) from None


def _problem(body: Body) -> str:
    """Return what keeps *body* from being a request. Read part by part only now: a request that is one is read once."""
    fields = try_read(body, dict[str, msgspec.Raw])
    if fields is None:
        return "the body is not a JSON object"
    if try_read(fields.get("parent", _NULL), _Parent) is None:
        return "the request has no parent as Kubernetes stores it"
    if try_read(fields.get("children", _NULL), Groups) is None:
        return "the request has no children, grouped by kind; is it meant for customize?"
    return "the related objects of the request are not grouped by kind"


def _check_utf8(body: Body) -> None:
    """Raise UnicodeDecodeError if *body* is not UTF-8 throughout: msgspec would let other bytes pass in what it skips.

    Slice by slice, as the text of all of it would take up to four bytes a character.
    """
    decoder, view = _UTF8(), memoryview(body)
    for start in range(0, len(body), _SLICE):
        decoder.decode(view[start : start + _SLICE])
    decoder.decode(b"", final=True)


def _parent(seen: _Parent) -> Parent:
    metadata = seen.metadata
    if metadata.generation is None or metadata.generation < 0:
        message = "the parent has no generation"
        raise MalformedRequest(message)
    return Parent(
        name=_name(metadata.name),
        namespace=_name(metadata.namespace),
        uid=_name(metadata.uid),
        generation=metadata.generation,
        created=metadata.creation_timestamp,
        deleting=metadata.deletion_timestamp is not None,
        spec=bytes(seen.spec),
        status=bytes(seen.status),
    )


def _name(text: str | None) -> str:
    if not text or len(text) > _LONGEST:
        message = "the parent has no name, namespace or uid, or one that is too long"
        raise MalformedRequest(message)
    return text
