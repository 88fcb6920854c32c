"""Requests: a body becomes a parent, its children, and the related objects; or it is malformed."""

import codecs
from contextlib import suppress
from typing import Any, TypeVar

import msgspec

from metahook.protocol import bodies
from metahook.protocol.bodies import MalformedRequest, RequestRule, read, try_read
from metahook.protocol.installation import InstallationProblem, Requirements, check_installation, listed_resources
from metahook.protocol.objects import Object
from metahook.protocol.observed import Children, Related
from metahook.protocol.request_limits import DecodedMemory, check_objects, check_parent

Body = bytes | bytearray
"""A request as it is read from a socket."""

T = TypeVar("T")

_LONGEST_KIND = 63

_TEXTS = msgspec.json.Decoder(dict[str, str] | None)
_LIST = msgspec.json.Decoder(list[str] | None)

_UTF8 = codecs.getincrementaldecoder("utf-8")
_SLICE = 64 * 1024
"""Bytes."""


class Shape(msgspec.Struct, frozen=True):
    """How the requests to a controller look, and how far its parents reach."""

    sync: type[Any] = bodies.SyncRequestBody
    customize: type[Any] = bodies.CustomizeRequestBody
    parent: str = "parent"
    children: str = "children"
    """The fields of a request that have the parent and its children."""
    namespaced: bool | None = None
    """Whether the parents are in namespaces; None if that is not declared."""
    selects_everywhere: bool = False
    """Whether a parent in a namespace may select related objects outside of it."""
    optional_kinds: frozenset[type[Object]] = frozenset()
    """The kinds of children whose groups a request may lack."""

    def confines(self, namespace: str) -> bool:
        """Tell whether a parent in *namespace* (empty: in none) may select only the related objects there."""
        return bool(namespace) and not self.selects_everywhere


COMPOSITE = Shape()
DECORATOR = Shape(bodies.DecoratorSyncRequestBody, bodies.DecoratorCustomizeRequestBody, "object", "attachments")


class Parent(msgspec.Struct, frozen=True):
    """The parent object. ``spec`` and ``status`` are its JSON, for the controller to read in its own way."""

    name: str
    namespace: str
    """Empty if the parent is cluster-scoped."""
    uid: str
    generation: int
    """0 if its kind has none, as ConfigMap."""
    created: str | None
    """When it was created, in RFC 3339."""
    deleting: bool
    spec: bytes
    status: bytes
    kind: str = ""
    """For logs; "" if the request has none."""
    managed_fields: bytes = b"[]"
    """JSON, for :func:`metahook.last_change`."""
    api_version: str = ""
    labels: dict[str, str] = msgspec.field(default_factory=dict)
    annotations: dict[str, str] = msgspec.field(default_factory=dict)
    """Labels and annotations change without a new generation; responses of customize are cached: read them in sync."""
    finalizers: tuple[str, ...] = ()

    @property
    def conditions(self) -> list[Any]:
        """The conditions in ``status``, for :func:`metahook.set_condition`; none if there is no list of them."""
        return (try_read(self.status, _Status) or _Status()).conditions


class _Status(msgspec.Struct):
    conditions: list[Any] = msgspec.field(default_factory=list)


class CustomizeRequest(msgspec.Struct, frozen=True):
    """Asks which related objects a parent's sync needs. Decide from the spec alone: responses are cached."""

    parent: Parent
    listed: frozenset[tuple[str, str]] | None = None
    """API version and plural of the kinds of children that the controller in the cluster lists; None if unknown."""

    @classmethod
    def decode(cls, body: Body, shape: Shape = COMPOSITE) -> "CustomizeRequest":
        """Return the request of *shape* that *body* (JSON) holds; raise MalformedRequest if it holds none."""
        envelope = _decode(body, shape.customize)
        check_parent(envelope.parent, "parent", len(body))
        DecodedMemory(len(body)).check(envelope.controller)
        return cls(_parent(envelope.parent, "parent", shape), listed_resources(envelope.controller))

    def manages(self, struct: type[Object]) -> bool:
        """Tell whether the controller in the cluster lists the kind of *struct*; select no such objects if it does not.

        Then the cluster may not serve the kind, or Metacontroller may not read it: a rule for it would stop each sync.
        See ``Controller.optional_kinds``.
        """
        return self.listed is None or (struct.KIND.api_version, struct.KIND.plural) in self.listed


class SyncRequest(msgspec.Struct, frozen=True):
    """Asks for the desired children and the status of a parent, given what is observed."""

    parent: Parent
    children: Children
    related: Related
    installation: tuple[InstallationProblem, ...] = ()
    """What is wrong with the installation of the controller, the most severe first."""
    finalizing: bool = False
    """Whether it is for the finalize hook: the parent is being deleted, or the controller no longer selects it."""

    @classmethod
    def decode(
        cls,
        body: Body,
        structs: tuple[type[Object], ...],
        requirements: Requirements | None = None,
        shape: Shape = COMPOSITE,
    ) -> "SyncRequest":
        """Return the request of *shape* that *body* (JSON) holds, with children of *structs*; raise MalformedRequest.

        Its installation is compared with *requirements*.
        """
        envelope = _decode(body, shape.sync)
        check_parent(envelope.parent, shape.parent, len(body))
        parent, memory = _parent(envelope.parent, shape.parent, shape), DecodedMemory(len(body))
        memory.check(envelope.controller)
        children = Children(
            envelope.children,
            structs,
            memory,
            namespace=parent.namespace,
            owner_uid=parent.uid,
            path=shape.children,
            optional=shape.optional_kinds,
        )
        is_confined = shape.confines(parent.namespace)
        return cls(
            parent=parent,
            children=children,
            related=Related(envelope.related or {}, memory, namespace=parent.namespace, is_confined=is_confined),
            installation=check_installation(envelope.controller, parent.spec, requirements) if requirements else (),
            finalizing=bool(envelope.finalizing),
        )


def try_parent(body: Body) -> Parent | None:
    """Return the parent, or object, of the request *body* of any hook; None if there is none that can be read."""
    for envelope in (COMPOSITE.customize, DECORATOR.sync, DECORATOR.customize):
        with suppress(MalformedRequest):
            parent = _decode(body, envelope).parent
            check_parent(parent, "parent", len(body))
            return _parent(parent, "parent", COMPOSITE)
    return None


def _decode(body: Body, envelope: type[T]) -> T:
    if not body:
        raise MalformedRequest(RequestRule.EMPTY)
    if not body.isascii():
        _check_utf8(body)
    check_objects(body)
    try:
        return read(body, envelope)
    except MalformedRequest as error:
        raise _of_other_api(body, str(error)) or error from None


def _of_other_api(body: Body, problem: str) -> MalformedRequest | None:
    """Return the error for a *body* of Metacontroller's other API, if that is the *problem*; or None."""
    for shape, other, rule in (
        (COMPOSITE, DECORATOR, RequestRule.DECORATOR),
        (DECORATOR, COMPOSITE, RequestRule.COMPOSITE),
    ):
        if problem == RequestRule.REQUIRED.value.format(path=shape.parent):
            is_other = try_read(body, dict[str, msgspec.Raw]) or {}
            return MalformedRequest(rule) if other.parent in is_other else None
    return None


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


def _parent(parent: bodies.ObjectBody, path: str, shape: Shape) -> Parent:
    """Return *parent*, which is at *path* of the body; raise MalformedRequest."""
    metadata, kind = parent.metadata, try_read(parent.kind, str) or ""
    namespace = metadata.namespace or ""
    if shape.namespaced is not None and shape.namespaced != bool(namespace):
        rule = RequestRule.REQUIRED if shape.namespaced else RequestRule.CLUSTER_SCOPED
        raise MalformedRequest(rule, path=f"{path}.metadata.namespace")
    return Parent(
        name=metadata.name,
        namespace=namespace,
        uid=metadata.uid,
        generation=metadata.generation or 0,
        created=metadata.creation_timestamp,
        deleting=metadata.deletion_timestamp is not None,
        spec=bytes(parent.spec),
        status=bytes(parent.status),
        kind=kind if len(kind) <= _LONGEST_KIND else "",
        managed_fields=bytes(metadata.managed_fields or b"[]"),
        api_version=try_read(parent.api_version, str) or "",
        labels=_read(metadata.labels, _TEXTS) or {},
        annotations=_read(metadata.annotations, _TEXTS) or {},
        finalizers=tuple(_read(metadata.finalizers, _LIST) or ()),
    )


def _read(json: msgspec.Raw | msgspec.UnsetType, decoder: "msgspec.json.Decoder[T]") -> T | None:
    """Return *json* as the type of *decoder*, or None if it is something else, or absent."""
    if isinstance(json, msgspec.UnsetType):
        return None
    try:
        return decoder.decode(json)
    except (msgspec.DecodeError, RecursionError):
        return None
