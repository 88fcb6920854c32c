"""The JSON that Metacontroller sends and expects: one struct for each body.

Requests are decoded with these structs, responses are encoded with them, and the OpenAPI document is made from them.
Source: Metacontroller, hooks v2. Hook authors use :mod:`metahook.protocol.request` and
:mod:`metahook.protocol.response`.
"""

from typing import Annotated, Any, NotRequired, TypedDict

import msgspec
from msgspec import UNSET, Meta, UnsetType

from metahook.protocol.objects.object import Observed

MIB = 1024 * 1024
"""A MiB, in bytes."""

MAX_BODY = 32 * MIB
"""Bytes. A thousand Pods of 10 KiB and 16 ConfigMaps of 1 MiB are 26 MiB; a parent with its children is some 10 KiB."""

MAX_RESYNC = 86400
"""The longest ``resync_after``, in seconds: a day."""

Resync = Annotated[int, Meta(ge=1, le=MAX_RESYNC)]

Identifier = Annotated[str, Meta(min_length=1, max_length=253)]
"""A name in Kubernetes, or a uid."""

Namespace = Annotated[str, Meta(max_length=253)]
"""The name of a namespace; empty for what is in none."""

Groups = dict[str, dict[str, msgspec.Raw]]
"""Objects as Metacontroller sends them: kind (``Deployment.apps/v1``) to key to JSON."""

_NULL = msgspec.Raw(b"null")


def _null() -> msgspec.Raw:
    """Return null. It is a function, because msgspec can't show a default that is raw JSON in a schema."""
    return _NULL


class ObjectMetadata(Observed, frozen=True, kw_only=True):
    """Metadata of the object of a DecoratorController: some built-in kinds, such as ConfigMap, have no generation."""

    name: Identifier
    namespace: Namespace | None = None
    uid: Identifier
    generation: Annotated[int, Meta(ge=0, le=2**63 - 1)] | None = None
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    labels: msgspec.Raw | UnsetType = UNSET
    annotations: msgspec.Raw | UnsetType = UNSET
    finalizers: msgspec.Raw | UnsetType = UNSET
    managed_fields: msgspec.Raw | UnsetType = UNSET


class ParentMetadata(ObjectMetadata, frozen=True, kw_only=True):
    """Metadata of the parent."""

    generation: Annotated[int, Meta(ge=0, le=2**63 - 1)]


class ObjectBody(Observed, frozen=True, kw_only=True):
    """The object of a DecoratorController, whole."""

    metadata: ObjectMetadata
    api_version: msgspec.Raw = msgspec.field(default_factory=_null)
    kind: msgspec.Raw = msgspec.field(default_factory=_null)
    spec: msgspec.Raw = msgspec.field(default_factory=_null)
    status: msgspec.Raw = msgspec.field(default_factory=_null)


class ParentBody(ObjectBody, frozen=True, kw_only=True):
    """The parent object, whole."""

    metadata: ParentMetadata


class CustomizeRequestBody(Observed, frozen=True):
    """A parent. The controller is the CompositeController, whole."""

    parent: ParentBody
    controller: msgspec.Raw = msgspec.field(default_factory=_null)


class SyncRequestBody(CustomizeRequestBody, frozen=True, kw_only=True):
    """A parent, its observed children, and the related objects that the customize hook selected.

    Objects are grouped by kind, such as Deployment.apps/v1, and then by namespace/name. The controller is the
    CompositeController, whole. A request to the finalize hook is finalizing, one to the sync hook is not.
    """

    children: Groups
    related: Groups | None = None
    finalizing: bool | None = None


class DecoratorCustomizeRequestBody(Observed, frozen=True):
    """The object of a DecoratorController, which is the controller, whole."""

    parent: ObjectBody
    controller: msgspec.Raw = msgspec.field(default_factory=_null)


class DecoratorSyncRequestBody(Observed, frozen=True, kw_only=True):
    """An object, its observed attachments, and the related objects that the customize hook selected.

    Objects are grouped by kind, such as Service.v1, and then by namespace/name. The controller is the
    DecoratorController, whole. A request to the finalize hook is finalizing, one to the sync hook is not.
    """

    parent: ObjectBody = msgspec.field(name="object")
    children: Groups = msgspec.field(name="attachments")
    related: Groups | None = None
    controller: msgspec.Raw = msgspec.field(default_factory=_null)
    finalizing: bool | None = None


class RefusalBody(msgspec.Struct, omit_defaults=True):
    """The hook decided nothing, and nothing changes in the cluster."""

    error: str
    id: str = ""
    """The log has a line with this id. Requests that are refused for the same cause get the same one for a while, so
    that Kubernetes counts their Events as one."""


MALFORMED = 400
"""Status code. The message is the rule that the body breaks, see :mod:`metahook.protocol.bodies.malformed`."""

TOO_LARGE = (413, "the request is too large")
FAILED = (500, "the hook failed; its log says where")
"""Status code and message, which is constant: Metacontroller copies error bodies into Events and logs."""


def refusal_body(message: str, id_: str = "") -> bytes:
    """Return the body of the refusal with *message*, as JSON with a space after the colon, for people to read."""
    return msgspec.json.format(msgspec.json.encode(RefusalBody(message, id_)), indent=0)


class SyncResponseBody(msgspec.Struct, frozen=True, rename="camel"):
    """Every child that is to exist, and the status. Metacontroller deletes the children that are not listed."""

    status: Annotated[dict[str, Any], Meta(min_length=1)]
    children: list[dict[str, Any]]
    resync_after_seconds: Resync | UnsetType = UNSET


class FinalizeResponseBody(SyncResponseBody, frozen=True, kw_only=True):
    """The children that are to exist still, the status, and whether the parent may go."""

    finalized: bool


class DecoratorResponseBody(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Every attachment that is to exist, and what to set on the object. Attachments that are not listed are deleted.

    Labels and annotations that are null are removed. Without a status, that of the object stays.
    """

    attachments: list[dict[str, Any]]
    labels: dict[str, str | None] | UnsetType = UNSET
    annotations: dict[str, str | None] | UnsetType = UNSET
    status: Annotated[dict[str, Any], Meta(min_length=1)] | UnsetType = UNSET
    resync_after_seconds: Resync | UnsetType = UNSET


class DecoratorFinalizeResponseBody(DecoratorResponseBody, frozen=True, kw_only=True):
    """The attachments that are to exist still, what to set on the object, and whether it may go."""

    finalized: bool


class RelatedRule(TypedDict):
    """Which objects of a kind a sync needs: those with one of the names, or those that the selector matches.

    ``resource`` is the plural name. Set ``namespace`` to the parent's: without it, or if it is empty, the rule means
    all namespaces, or a cluster-scoped kind.
    """

    apiVersion: str
    resource: str
    namespace: str
    names: NotRequired[list[str]]
    labelSelector: NotRequired[dict[str, Any]]
    namespaceSelector: NotRequired[dict[str, Any]]


class CustomizeResponseBody(msgspec.Struct, frozen=True, rename="camel"):
    """Which related objects the parent's sync needs."""

    related_resources: list[RelatedRule]
