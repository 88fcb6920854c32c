"""Requests: a body becomes a parent, its children, and the related objects; or it is malformed."""

import codecs
from dataclasses import dataclass
from typing import TypeVar

from metahook.protocol import wire
from metahook.protocol.extent import DecodedMemory, check_objects, check_parent
from metahook.protocol.installation import Finding, Requirements, check_installation
from metahook.protocol.malformed import MalformedRequest, RequestRule
from metahook.protocol.objects import Object
from metahook.protocol.observed import Children
from metahook.protocol.reading import read, try_read
from metahook.protocol.related import Related

Body = bytes | bytearray
"""A request as it is read from a socket."""

Envelope = TypeVar("Envelope", bound=wire.CustomizeRequestBody)

_LONGEST_KIND = 63

_UTF8 = codecs.getincrementaldecoder("utf-8")
_SLICE = 64 * 1024
"""Bytes."""


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
    kind: str = ""
    """For logs; "" if the request has none."""


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
    installation: tuple[Finding, ...] = ()
    """What is wrong with the installation of the controller, the most severe first."""

    @classmethod
    def decode(
        cls, body: Body, structs: tuple[type[Object], ...], requirements: Requirements | None = None
    ) -> "SyncRequest":
        """Return the request that *body* (JSON) holds, with children of *structs*; raise MalformedRequest.

        Its installation is compared with *requirements*.
        """
        envelope = _decode(body, wire.SyncRequestBody)
        parent, memory = _parent(envelope.parent), DecodedMemory(len(body))
        memory.check(envelope.controller)
        return cls(
            parent=parent,
            children=Children(envelope.children, structs, memory, namespace=parent.namespace, owner_uid=parent.uid),
            related=Related(envelope.related or {}, memory, namespace=parent.namespace),
            installation=check_installation(envelope.controller, parent.spec, requirements) if requirements else (),
        )


def _decode(body: Body, envelope: type[Envelope]) -> Envelope:
    if not body:
        raise MalformedRequest(RequestRule.EMPTY)
    if not body.isascii():
        _check_utf8(body)
    check_objects(body)
    return read(body, envelope)


def _check_utf8(body: Body) -> None:
    """Raise MalformedRequest if *body* is not UTF-8 throughout: msgspec does not check the fields that it skips.

    It is decoded in slices, because the text of the whole body would take up to four bytes a character.
    """
    decoder, view = _UTF8(), memoryview(body)
    try:
        for start in range(0, len(body), _SLICE):
            decoder.decode(view[start : start + _SLICE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise MalformedRequest(RequestRule.UTF8) from None


def _parent(parent: wire.ParentBody) -> Parent:
    check_parent(parent)
    metadata, kind = parent.metadata, try_read(parent.kind, str) or ""
    return Parent(
        name=metadata.name,
        namespace=metadata.namespace,
        uid=metadata.uid,
        generation=metadata.generation,
        created=metadata.creation_timestamp,
        deleting=metadata.deletion_timestamp is not None,
        spec=bytes(parent.spec),
        status=bytes(parent.status),
        kind=kind if len(kind) <= _LONGEST_KIND else "",
    )
