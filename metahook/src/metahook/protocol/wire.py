"""The JSON that Metacontroller sends and expects: one struct for each body.

Requests are decoded with these structs, responses are encoded with them, and the OpenAPI document is made from them.
Source: Metacontroller, CompositeController hooks v2. Hook authors use :mod:`metahook.protocol.request` and
:mod:`metahook.protocol.response`.
"""

from typing import Annotated, Any, NotRequired, TypedDict

import msgspec
from msgspec import UNSET, Meta, UnsetType

from metahook.protocol.objects import Observed

MIB = 1024 * 1024

MAX_BODY = 32 * MIB
"""Bytes. A thousand Pods of 10 KiB and 16 ConfigMaps of 1 MiB are 26 MiB; a parent with its children is some 10 KiB."""

MAX_RESYNC = 86400
"""Seconds."""

Identifier = Annotated[str, Meta(min_length=1, max_length=253)]
"""A name in Kubernetes, or a uid."""

Groups = dict[str, dict[str, msgspec.Raw]]
"""Objects as Metacontroller sends them: kind (``Deployment.apps/v1``) to key to JSON."""

_NULL = msgspec.Raw(b"null")


def _null() -> msgspec.Raw:
    """Return null. It is a function, because msgspec can't show a default that is raw JSON in a schema."""
    return _NULL


class ParentMetadata(Observed, frozen=True):
    """Metadata of the parent."""

    name: Identifier
    namespace: Identifier
    uid: Identifier
    generation: Annotated[int, Meta(ge=0)]
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    managed_fields: msgspec.Raw = msgspec.field(default_factory=_null)


class ParentBody(Observed, frozen=True):
    """The parent object, whole."""

    metadata: ParentMetadata
    kind: msgspec.Raw = msgspec.field(default_factory=_null)
    spec: msgspec.Raw = msgspec.field(default_factory=_null)
    status: msgspec.Raw = msgspec.field(default_factory=_null)


class CustomizeRequestBody(Observed, frozen=True):
    """A parent."""

    parent: ParentBody


class SyncRequestBody(CustomizeRequestBody, frozen=True, kw_only=True):
    """A parent, its observed children, and the related objects that the customize hook selected.

    Objects are grouped by kind, such as Deployment.apps/v1, and then by namespace/name. The controller is the
    CompositeController, whole.
    """

    children: Groups
    related: Groups | None = None
    controller: msgspec.Raw = msgspec.field(default_factory=_null)


class RefusalBody(msgspec.Struct, omit_defaults=True):
    """The hook decided nothing, and nothing changes in the cluster."""

    error: str
    id: str = ""
    """The log has a line with this id. Requests that are refused for the same cause get the same one for a while, so
    that Kubernetes counts their Events as one."""


MALFORMED = 400
"""Status code. The message is the rule that the body breaks, see :mod:`metahook.protocol.malformed`."""

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
    resync_after_seconds: Annotated[int, Meta(ge=1, le=MAX_RESYNC)] | UnsetType = UNSET


class RelatedRule(TypedDict):
    """Which objects of a kind a sync needs: those with one of the names, or those that the selector matches.

    ``resource`` is the plural name. Always set ``namespace`` to the parent's: without it the rule means all namespaces.
    """

    apiVersion: str
    resource: str
    namespace: str
    names: NotRequired[list[str]]
    labelSelector: NotRequired[dict[str, Any]]


class CustomizeResponseBody(msgspec.Struct, frozen=True, rename="camel"):
    """Which related objects the parent's sync needs."""

    related_resources: list[RelatedRule]
