"""Answers: what a hook says back. Every child that shall live is in it: Metacontroller deletes what is not."""

from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict

import msgspec

from metahook.protocol.objects import Object

Manifest = dict[str, Any]
"""A Kubernetes object as it is sent: ``apiVersion``, ``kind``, ``metadata``, and the fields that the hook owns."""


@dataclass(frozen=True)
class SyncResponse:
    """The desired children and the computed status.

    ``children`` are made by today's rules; ``kept`` are children as they were applied last (``Children.kept``), which
    the gate does not judge by today's rules. ``status`` replaces the old one whole. ``resync_after`` asks to be called
    again after so many seconds.
    """

    status: dict[str, Any]
    children: list[Manifest] = field(default_factory=list)
    kept: list[Manifest] = field(default_factory=list)
    resync_after: int | None = None

    def encode(self) -> bytes:
        """Return the answer as JSON, the same bytes for the same answer."""
        listed = sorted([*self.children, *self.kept], key=lambda child: (child["kind"], child["metadata"]["name"]))
        again = {} if self.resync_after is None else {"resyncAfterSeconds": self.resync_after}
        return msgspec.json.encode({"status": self.status, "children": listed, **again}, order="sorted")


class RelatedRule(TypedDict):
    """Which objects of a kind a sync needs: those of the names, or those that the selector matches.

    ``resource`` is the plural name. Always pin ``namespace`` to the parent's: without it all namespaces are meant.
    """

    apiVersion: str
    resource: str
    namespace: str
    names: NotRequired[list[str]]
    labelSelector: NotRequired[dict[str, Any]]


def select_by_name(kind: type[Object], namespace: str, *names: str) -> RelatedRule:
    """Return the rule for the objects of *kind* in *namespace* that have one of *names*."""
    return {
        "apiVersion": kind.KIND.api_version,
        "resource": kind.KIND.plural,
        "namespace": namespace,
        "names": list(names),
    }


def select_by_labels(kind: type[Object], namespace: str, labels: dict[str, str]) -> RelatedRule:
    """Return the rule for the objects of *kind* in *namespace* that have all of *labels*."""
    selector = {"matchLabels": labels}
    return {
        "apiVersion": kind.KIND.api_version,
        "resource": kind.KIND.plural,
        "namespace": namespace,
        "labelSelector": selector,
    }


@dataclass(frozen=True)
class CustomizeResponse:
    """The related objects that a parent's sync needs."""

    related: list[RelatedRule]

    def encode(self) -> bytes:
        """Return the answer as JSON, the same bytes for the same answer."""
        return msgspec.json.encode({"relatedResources": self.related}, order="sorted")
