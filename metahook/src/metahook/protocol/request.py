"""Requests: a body becomes a parent, its children, and the related objects; or it is malformed."""

import codecs
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from metahook.protocol import wire
from metahook.protocol.objects import MalformedRequest, Object, read, try_read
from metahook.protocol.observed import Children
from metahook.protocol.related import Related

Body = bytes | bytearray
"""A request as it is read from a socket."""

Envelope = TypeVar("Envelope", bound=wire.CustomizeRequestBody)

_UTF8 = codecs.getincrementaldecoder("utf-8")
_SLICE = 64 * 1024
"""Bytes."""

_NULL = msgspec.Raw(b"null")


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
    """Asks which related objects a parent's sync needs. Decide from the spec alone: responses are cached."""

    parent: Parent

    @classmethod
    def decode(cls, body: Body) -> "CustomizeRequest":
        """Return the request that *body* (JSON) holds; raise MalformedRequest if it holds none."""
        return cls(_parent(_decode(body, wire.CustomizeRequestBody).parent))


@dataclass(frozen=True)
class SyncRequest:
    """Asks for the desired children and the status of a parent, given what is observed."""

    parent: Parent
    children: Children
    related: Related

    @classmethod
    def decode(cls, body: Body, structs: tuple[type[Object], ...]) -> "SyncRequest":
        """Return the request that *body* (JSON) holds, with children of *structs*; raise MalformedRequest."""
        envelope = _decode(body, wire.SyncRequestBody)
        parent = _parent(envelope.parent)
        return cls(
            parent=parent,
            children=Children(envelope.children, structs, namespace=parent.namespace, owner_uid=parent.uid),
            related=Related(envelope.related or {}, namespace=parent.namespace),
        )


def _decode(body: Body, envelope: type[Envelope]) -> Envelope:
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
    """Return why *body* is not a request. Why only now: a well-formed request is then decoded only once."""
    fields = try_read(body, dict[str, msgspec.Raw])
    if fields is None:
        return "the body is not a JSON object"
    if try_read(fields.get("parent", _NULL), wire.ParentBody) is None:
        return "the request has no parent with a name, namespace, uid and generation"
    if try_read(fields.get("children", _NULL), wire.Groups) is None:
        return "the request has no children, grouped by kind; is it meant for customize?"
    return "the related objects of the request are not grouped by kind"


def _check_utf8(body: Body) -> None:
    """Raise UnicodeDecodeError if *body* is not UTF-8 throughout: msgspec does not check the fields that it skips.

    Why in slices: the text of the whole body would take up to four bytes a character.
    """
    decoder, view = _UTF8(), memoryview(body)
    for start in range(0, len(body), _SLICE):
        decoder.decode(view[start : start + _SLICE])
    decoder.decode(b"", final=True)


def _parent(parent: wire.ParentBody) -> Parent:
    metadata = parent.metadata
    return Parent(
        name=metadata.name,
        namespace=metadata.namespace,
        uid=metadata.uid,
        generation=metadata.generation,
        created=metadata.creation_timestamp,
        deleting=metadata.deletion_timestamp is not None,
        spec=bytes(parent.spec),
        status=bytes(parent.status),
    )
