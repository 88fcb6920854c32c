"""Responses: what a hook returns. List every child that is to exist: Metacontroller deletes the others."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from metahook.protocol import bodies
from metahook.protocol.bodies import RelatedRule
from metahook.protocol.installation import InstallationProblem
from metahook.protocol.objects import EncodedManifest, Manifest, Object, identity_of
from metahook.protocol.request import Parent

LogFields = Mapping[str, str | int | float | bool]
"""Fields of a hook's own for the line of the log about a call, such as ``{"plan": "gold"}``."""


class SyncResponse(msgspec.Struct, frozen=True):
    """The desired children and the computed status.

    ``children`` are made by today's rules; ``kept`` are children as they were last applied (``Children.kept``), which
    the gate does not judge by today's rules. ``status`` replaces the whole observed status. ``resync_after`` requests
    another sync after that many whole seconds, 1 to 86400: compute it at each call, because a timer may be lost.
    ``findings`` are what the hook itself found to be wrong with the installation, for the log and the metrics. ``log``
    has up to 16 fields for the line of this call in the log; put nothing secret there.
    """

    status: dict[str, Any]
    children: list[Manifest] = msgspec.field(default_factory=list)
    kept: list[Manifest] = msgspec.field(default_factory=list)
    resync_after: int | None = None
    findings: tuple[InstallationProblem, ...] = ()
    log: LogFields = msgspec.field(default_factory=dict)

    def encode(self) -> bytes:
        """Return the response as JSON, the same bytes for the same response."""
        return _encoded(bodies.SyncResponseBody(self.status, _listed(self), _resync(self)))


class FinalizeResponse(msgspec.Struct, frozen=True):
    """The children that are to exist still, and whether the parent may go: then Metacontroller removes its finalizer.

    It is for ``finalize`` what SyncResponse is for ``sync``. List the children that are still needed: the others are
    deleted. Once it is *finalized*, Kubernetes deletes those of a deleted parent; those of a parent that the controller
    no longer selects stay, and nobody looks after them. Without *resync_after* it is asked again when the parent, a
    child or a related object changes.
    """

    status: dict[str, Any]
    children: list[Manifest] = msgspec.field(default_factory=list)
    kept: list[Manifest] = msgspec.field(default_factory=list)
    finalized: bool = False
    resync_after: int | None = None
    findings: tuple[InstallationProblem, ...] = ()
    log: LogFields = msgspec.field(default_factory=dict)

    def encode(self) -> bytes:
        """Return the response as JSON, the same bytes for the same response."""
        body = bodies.FinalizeResponseBody(self.status, _listed(self), _resync(self), finalized=self.finalized)
        return _encoded(body)


class _Decorated(msgspec.Struct, frozen=True, kw_only=True):
    """What a decorator returns of the attachments, and of the object itself."""

    children: list[Manifest] = msgspec.field(default_factory=list)
    kept: list[Manifest] = msgspec.field(default_factory=list)
    labels: Mapping[str, str | None] = msgspec.field(default_factory=dict)
    annotations: Mapping[str, str | None] = msgspec.field(default_factory=dict)
    status: dict[str, Any] | None = None
    resync_after: int | None = None
    findings: tuple[InstallationProblem, ...] = ()
    log: LogFields = msgspec.field(default_factory=dict)


class DecoratorResponse(_Decorated, frozen=True, kw_only=True):
    """The desired attachments of an object, and what to set on the object itself.

    ``children`` and ``kept`` are attachments, as in SyncResponse. ``labels`` and ``annotations`` are set on the object;
    None removes one, and those that are not named stay. ``status`` replaces the whole status of the object; None leaves
    it alone, which is right for an object that another controller looks after.
    """

    def encode(self) -> bytes:
        """Return the response as JSON, the same bytes for the same response."""
        return _encoded(bodies.DecoratorResponseBody(**_decorated(self)))


class DecoratorFinalizeResponse(_Decorated, frozen=True, kw_only=True):
    """The attachments that are to exist still, what to set on the object, and whether the object may go."""

    finalized: bool = False

    def encode(self) -> bytes:
        """Return the response as JSON, the same bytes for the same response."""
        return _encoded(bodies.DecoratorFinalizeResponseBody(**_decorated(self), finalized=self.finalized))


Response = SyncResponse | FinalizeResponse | DecoratorResponse | DecoratorFinalizeResponse
"""What sync or finalize of a controller or of a decorator returns."""


def _decorated(response: _Decorated) -> dict[str, Any]:
    return {
        "attachments": _listed(response),
        "labels": dict(response.labels) or msgspec.UNSET,
        "annotations": dict(response.annotations) or msgspec.UNSET,
        "status": msgspec.UNSET if response.status is None else response.status,
        "resync_after_seconds": _resync(response),
    }


def _listed(response: SyncResponse | FinalizeResponse | _Decorated) -> list[Any]:
    children = [*response.children, *response.kept]
    if len(children) > 1:
        children.sort(key=_order)
    return [child.json if isinstance(child, EncodedManifest) else child for child in children]


def _order(child: Manifest) -> tuple[str, str, str, str]:
    _, namespace, name = identity_of(child, "")
    return child["kind"], name, child["apiVersion"], namespace


def _resync(response: SyncResponse | FinalizeResponse | _Decorated) -> int | msgspec.UnsetType:
    return msgspec.UNSET if response.resync_after is None else response.resync_after


def _encoded(body: msgspec.Struct) -> bytes:
    return msgspec.json.encode(body, order="sorted")


def select_by_name(struct: type[Object], namespace: str, *names: str) -> RelatedRule:
    """Return the rule for the objects of *struct* in *namespace* that have one of *names*.

    An empty namespace means all of them, or none for a cluster-scoped kind. Rules of a parent in a namespace select
    there alone, unless its Controller says ``selects_everywhere``.
    """
    return {
        "apiVersion": struct.KIND.api_version,
        "resource": struct.KIND.plural,
        "namespace": namespace,
        "names": list(names),
    }


def select_by_labels(struct: type[Object], namespace: str, labels: dict[str, str]) -> RelatedRule:
    """Return the rule for the objects of *struct* in *namespace* that have all of *labels*.

    For the namespace, see select_by_name. Without labels, the rule selects all.
    """
    return {
        "apiVersion": struct.KIND.api_version,
        "resource": struct.KIND.plural,
        "namespace": namespace,
        "labelSelector": {"matchLabels": labels},
    }


class CustomizeResponse(msgspec.Struct, frozen=True):
    """The related objects that a parent's sync needs."""

    related: list[RelatedRule]

    def encode(self) -> bytes:
        """Return the response as JSON, the same bytes for the same response."""
        return msgspec.json.encode(bodies.CustomizeResponseBody(self.related), order="sorted")


NONE = "None"
OTHER = "Other"
"""Stand for a reason: there is none; it is not one of the controller's."""


MAX_LOG_FIELDS = 16
LONGEST_LOG_TEXT = 256
"""Characters of a text of a field of the hook's own; what is longer is cut."""

RESERVED_LOG_FIELDS = frozenset(
    {
        *("time", "level", "event", "logger", "exception", "stack_info"),
        *("hook", "kind", "namespace", "name", "uid", "generation", "reason_before", "reason", "children", "kept"),
        *("rules", "bytes_in", "bytes_out", "ms", "status", "limit", "id", "omitted", "changes"),
    }
)
"""Names that fields of a hook's own can't have: a line of the log has these."""

OwnField = str | int | float | bool


class Summary(NamedTuple):
    """What was decided for a parent, in fixed words and names of Kubernetes."""

    parent: Parent
    reason_before: str = NONE
    """The reason of the parent's condition Ready, as the request has it."""
    reason: str = NONE
    """The same, as the response has it."""
    children: int = 0
    """How many children the response lists."""
    kept: int = 0
    """How many of them are kept as they were last applied."""
    rules: int | None = None
    """How many related rules the response of customize has; None for a sync."""
    findings: tuple[InstallationProblem, ...] = ()
    """What the request shows, and the hook says, to be wrong with the installation. The log and the metrics name it."""
    is_decorator: bool = False
    log: Mapping[str, OwnField] = MappingProxyType({})
    """The hook's own fields for the log."""


def ready_reason(conditions: object, known: Collection[str]) -> str:
    """Return the reason of the condition Ready in *conditions*, those of a status; OTHER if it is not *known*."""
    for condition in conditions if isinstance(conditions, list) else []:
        if isinstance(condition, dict) and condition.get("type") == "Ready":
            # A status may hold any text, and a metric keeps each.
            reason = condition.get("reason")
            return reason if isinstance(reason, str) and reason in known else OTHER
    return NONE


def short_fields(fields: Mapping[str, OwnField]) -> dict[str, OwnField]:
    """Return *fields* of the log with texts that are not too long."""
    return {name: value[:LONGEST_LOG_TEXT] if isinstance(value, str) else value for name, value in fields.items()}
