"""A controller whose parents are cluster-scoped: a Namespace for each, and a ConfigMap in it."""

from datetime import datetime
from typing import Any, ClassVar

import msgspec

from metahook import (
    ConfigMap,
    Controller,
    CustomizeRequest,
    FinalizeResponse,
    Kind,
    Manifest,
    Namespace,
    Object,
    RelatedRule,
    SyncRequest,
    SyncResponse,
    select_by_labels,
)

TENANT = Kind("example.com/v1", "Tenant", "tenants", namespaced=False)


class Node(Object, frozen=True):
    """A Node, which is cluster-scoped."""

    KIND: ClassVar[Kind] = Kind("v1", "Node", "nodes", namespaced=False)


class Spec(msgspec.Struct):
    """What a user of a Tenant writes."""

    namespaces: list[str] = []


def tenant(name: str = "acme", *namespaces: str, **metadata: Any) -> Manifest:
    """Return a Tenant as it is stored."""
    return {
        "apiVersion": TENANT.api_version,
        "kind": TENANT.kind,
        "metadata": {"name": name, "uid": f"uid-of-{name}", "generation": 1, **metadata},
        "spec": {"namespaces": list(namespaces)},
    }


def namespace(name: str) -> Manifest:
    """Return the Namespace called *name*."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def config_map(name: str, in_namespace: str) -> Manifest:
    """Return a ConfigMap in a namespace."""
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": in_namespace}}


def sync(request: SyncRequest, _: datetime) -> SyncResponse:
    """Return a Namespace and its ConfigMap for each name in the spec."""
    names = msgspec.json.decode(request.parent.spec, type=Spec).namespaces
    made = [child for name in names for child in (namespace(name), config_map("settings", name))]
    return SyncResponse({"namespaces": len(request.children.all(Namespace))}, made)


def customize(request: CustomizeRequest) -> list[RelatedRule]:
    """Return the rule for all Nodes, which are in no namespace."""
    return [select_by_labels(Node, "", {"tenant": request.parent.name})]


def finalize(request: SyncRequest, _: datetime) -> FinalizeResponse:
    """Return no children, and let the Tenant go once there are none."""
    left = len(request.children.all(Namespace))
    return FinalizeResponse({"namespaces": left}, finalized=not left)


TENANTS = Controller(sync, (Namespace, ConfigMap), customize, finalize=finalize, parent=TENANT)
