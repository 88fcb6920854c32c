"""Requests: a body becomes a parent, its children, and the related objects, or it is malformed."""

from dataclasses import dataclass
from typing import TypeVar

import msgspec

from app.hooks.objects import MalformedRequest, Metadata, Observed, read
from app.hooks.observed import Children, Groups, Related

Envelope = TypeVar("Envelope", bound="_CustomizeEnvelope")

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
    deleting: bool
    spec: bytes
    status: bytes


@dataclass(frozen=True)
class CustomizeRequest:
    """Asks which related objects a parent's sync needs. Answer from the spec alone: answers are cached."""

    parent: Parent

    @classmethod
    def decode(cls, body: bytes) -> "CustomizeRequest":
        """Return the request that *body* (JSON) holds; raise MalformedRequest if it holds none."""
        return cls(_parent(_opened(body, _CustomizeEnvelope).parent))


@dataclass(frozen=True)
class SyncRequest:
    """Asks for the desired children and the status of a parent, given what is observed."""

    parent: Parent
    children: Children
    related: Related

    @classmethod
    def decode(cls, body: bytes) -> "SyncRequest":
        """Return the request that *body* (JSON) holds; raise MalformedRequest if it holds none."""
        envelope = _opened(body, _SyncEnvelope)
        parent = _parent(envelope.parent)
        return cls(
            parent=parent,
            children=Children(envelope.children, namespace=parent.namespace, owner_uid=parent.uid),
            related=Related(envelope.related or {}, namespace=parent.namespace),
        )


def _opened(body: bytes, envelope: type[Envelope]) -> Envelope:
    try:
        body.decode()  # what msgspec skips, it does not look into
    except UnicodeDecodeError:
        message = "not UTF-8"
        raise MalformedRequest(message) from None
    return read(body, envelope)


def _parent(seen: _Parent) -> Parent:
    meta = seen.metadata
    named = all(text and len(text) <= _LONGEST for text in (meta.name, meta.namespace, meta.uid))
    if not (named and meta.namespace and meta.uid) or meta.generation is None or meta.generation < 0:
        message = "the parent has no name, namespace, uid or generation"
        raise MalformedRequest(message)
    return Parent(
        name=meta.name,
        namespace=meta.namespace,
        uid=meta.uid,
        generation=meta.generation,
        deleting=meta.deletion_timestamp is not None,
        spec=bytes(seen.spec),
        status=bytes(seen.status),
    )
