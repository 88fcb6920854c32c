"""Responses: what a hook returns. List every child that is to exist: Metacontroller deletes the others."""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from metahook.protocol import wire
from metahook.protocol.installation import Finding
from metahook.protocol.manifest import EncodedManifest, Manifest
from metahook.protocol.objects import Object
from metahook.protocol.wire import RelatedRule


@dataclass(frozen=True)
class SyncResponse:
    """The desired children and the computed status.

    ``children`` are made by today's rules; ``kept`` are children as they were last applied (``Children.kept``), which
    the gate does not judge by today's rules. ``status`` replaces the whole observed status. ``resync_after`` requests
    another sync after that many seconds. ``findings`` are what the hook itself found to be wrong with the installation,
    for the log and the metrics.
    """

    status: dict[str, Any]
    children: list[Manifest] = field(default_factory=list)
    kept: list[Manifest] = field(default_factory=list)
    resync_after: int | None = None
    findings: tuple[Finding, ...] = ()

    def encode(self) -> bytes:
        """Return the response as JSON, the same bytes for the same response."""
        children = sorted([*self.children, *self.kept], key=_order)
        listed: list[Any] = [child.json if isinstance(child, EncodedManifest) else child for child in children]
        resync = msgspec.UNSET if self.resync_after is None else self.resync_after
        return msgspec.json.encode(wire.SyncResponseBody(self.status, listed, resync), order="sorted")


def _order(child: Manifest) -> tuple[str, str, str]:
    return child["kind"], child["metadata"]["name"], child["apiVersion"]


def select_by_name(struct: type[Object], namespace: str, *names: str) -> RelatedRule:
    """Return the rule for the objects of *struct* in *namespace* that have one of *names*."""
    return {
        "apiVersion": struct.KIND.api_version,
        "resource": struct.KIND.plural,
        "namespace": namespace,
        "names": list(names),
    }


def select_by_labels(struct: type[Object], namespace: str, labels: dict[str, str]) -> RelatedRule:
    """Return the rule for the objects of *struct* in *namespace* that have all of *labels*."""
    return {
        "apiVersion": struct.KIND.api_version,
        "resource": struct.KIND.plural,
        "namespace": namespace,
        "labelSelector": {"matchLabels": labels},
    }


@dataclass(frozen=True)
class CustomizeResponse:
    """The related objects that a parent's sync needs."""

    related: list[RelatedRule]

    def encode(self) -> bytes:
        """Return the response as JSON, the same bytes for the same response."""
        return msgspec.json.encode(wire.CustomizeResponseBody(self.related), order="sorted")
