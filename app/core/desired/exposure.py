"""The route to the Service that a spec with ``expose`` asks for: an Ingress, or with a Gateway an HTTPRoute.

Two routes with the same host and path in one namespace would share the requests, or one would lose them all, as the
controller of the cluster likes. So one of them has the address: the route that was created first, then the one with the
lower uid. The others of that address are not created, or deleted again where two were created at once. The times of
the routes decide, and not those of the MyResources: an older MyResource that changes its host must not take it from a
route that serves. Routes of an earlier address stay until the new one can be created.

A label with the hash of host and path finds these routes, by one related rule, for those alone that have ``expose``.
"""

import hashlib
from typing import Any, NamedTuple

from app.api.names import KIND
from app.api.network import Expose, GatewayRef, exposed_port
from app.api.spec import MyResourceSpec
from app.core.child_metadata import ADDRESS_LABEL, GENERATION_STAMP, labels, manifest_of
from app.core.desired.replicas import Replicas
from metahook import Absence, EncodedManifest, HTTPRoute, Ingress, Manifest, Object, Parent, SyncRequest

RouteKind = type[Ingress] | type[HTTPRoute]

ROUTES: tuple[type[Object], ...] = (Ingress, HTTPRoute)
"""The kinds of routes."""

_DIGITS = 32
"""Hexadecimal digits of the hash of an address."""


def route_kind(expose: Expose) -> RouteKind:
    return HTTPRoute if expose.gateway else Ingress


def address_label(expose: Expose) -> dict[str, str]:
    """Return the label of a route that has the host and the path of *expose*, by which others of them are found."""
    address = f"{expose.host}{expose.path}".encode()
    return {ADDRESS_LABEL: hashlib.sha256(address).hexdigest()[:_DIGITS]}


def ingress(parent: Parent, spec: MyResourceSpec, _: Replicas) -> Manifest | None:
    expose = spec.expose
    if expose is None:
        return None
    backend = {"service": {"name": parent.name, "port": {"number": _port(spec, expose)}}}
    path = {"path": expose.path, "pathType": "Prefix", "backend": backend}
    fields = {
        **({"ingressClassName": expose.class_name} if expose.class_name else {}),
        "rules": [{"host": expose.host, "http": {"paths": [path]}}],
        **({"tls": [_tls(expose)]} if expose.tls else {}),
    }
    return manifest_of(Ingress, parent, fields, labels=_labels(parent, expose))


def http_route(parent: Parent, spec: MyResourceSpec, _: Replicas) -> Manifest | None:
    expose = spec.expose
    if expose is None or expose.gateway is None:
        return None
    backend = {"group": "", "kind": "Service", "name": parent.name, "port": _port(spec, expose), "weight": 1}
    fields = {
        "parentRefs": [_gateway(expose.gateway)],
        "hostnames": [expose.host],
        "rules": [{"matches": [{"path": {"type": "PathPrefix", "value": expose.path}}], "backendRefs": [backend]}],
    }
    return manifest_of(HTTPRoute, parent, fields, labels=_labels(parent, expose))


def _labels(parent: Parent, expose: Expose) -> dict[str, str]:
    return {**labels(parent), **address_label(expose)}


def _port(spec: MyResourceSpec, expose: Expose) -> int | None:
    port = exposed_port(expose, spec.ports or [])
    return port.in_service if port else None


def _tls(expose: Expose) -> dict[str, Any]:
    secret = expose.tls and expose.tls.secret_name
    return {"hosts": [expose.host], **({"secretName": secret} if secret else {})}


def _gateway(gateway: GatewayRef) -> dict[str, Any]:
    return {"group": "gateway.networking.k8s.io", "kind": "Gateway", **gateway.as_json()}


class Exposure(NamedTuple):
    """The route of a spec with ``expose``, as it is asked for and as it is observed."""

    expose: Expose
    kind: RouteKind
    is_managed: bool
    """Whether the CompositeController in the cluster lists the kind, so that the route can be created."""
    holder: str = ""
    """The kind and the name of the object that has the host and path already, if another has."""
    route: Ingress | HTTPRoute | None = None
    """The observed route of this host and path, if it is not yet that of an earlier spec."""

    @property
    def is_blocked(self) -> bool:
        return bool(self.holder) or not self.is_managed


def exposure(request: SyncRequest, expose: Expose) -> Exposure:
    """Return what becomes of the route that *expose* asks for."""
    kind, address = route_kind(expose), address_label(expose)[ADDRESS_LABEL]
    observed = request.children.get(kind, request.parent.name)
    route = observed if observed and observed.metadata.label(ADDRESS_LABEL) == address else None
    holder = _holder(request, kind, address, route)
    return Exposure(expose, kind, request.children.manages(kind), holder, route)


def earlier_routes(request: SyncRequest, exposed: Exposure) -> list[EncodedManifest]:
    """Return the observed routes of an earlier spec, as they were applied last, for while the route is not created."""
    names = {kind.KIND.kind for kind in ROUTES} - ({exposed.kind.KIND.kind} if exposed.route else set())
    routes = [child for child in request.children.kept() if child["kind"] in names]
    return [EncodedManifest(_with_stamp(child, request.children.observed(child))) for child in routes]


def _holder(request: SyncRequest, kind: RouteKind, address: str, own: Object | None) -> str:
    """Return which other route of *kind* has the *address*, or its MyResource; "" if none, or if it is *own*."""
    routes = request.related.all(kind)
    if isinstance(routes, Absence):  # not asked for yet
        return ""
    name = request.parent.name
    others = [
        other for other in routes if other.metadata.label(ADDRESS_LABEL) == address and other.metadata.name != name
    ]
    first = min(others, key=_age, default=None)
    if first is None or (own is not None and _age(own) < _age(first)):
        return ""
    owner = first.metadata.controller
    return f"{KIND if owner and owner.kind == KIND else kind.KIND.kind} {first.metadata.name}"


def _age(route: Object) -> tuple[str, str]:
    return route.metadata.creation_timestamp or "", route.metadata.uid or ""


def _with_stamp(applied: Manifest, observed: Object | None) -> Manifest:
    """Return what was *applied* last with the stamp of the *observed* route; there may be no record of what was."""
    stamp = (observed and observed.metadata.annotation(GENERATION_STAMP)) or ""
    metadata = applied["metadata"]
    annotations = {GENERATION_STAMP: stamp, **metadata.get("annotations", {})}
    return {**applied, "metadata": {**metadata, "annotations": annotations}}
