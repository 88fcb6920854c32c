"""The route to the Service that a spec with ``expose`` asks for: an Ingress, or with a Gateway an HTTPRoute.

Metacontroller replaces their lists as a whole, so each item has the defaults of the API server, too.
"""

import hashlib
from typing import Any

from app.api.network import Expose, GatewayRef, exposed_port
from app.api.spec import MyResourceSpec
from app.core.child_metadata import ADDRESS_LABEL, labels, manifest_of
from app.core.desired.replicas import Replicas
from metahook import HTTPRoute, Ingress, Manifest, Object, Parent

RouteKind = type[Ingress] | type[HTTPRoute]

ROUTES: tuple[type[Object], ...] = (Ingress, HTTPRoute)
"""The kinds of routes."""

_DIGITS = 32
"""Hexadecimal digits of the hash of an address."""


def route_kind(expose: Expose) -> RouteKind:
    """Return the kind of the route that *expose* asks for."""
    return HTTPRoute if expose.gateway else Ingress


def address_label(expose: Expose) -> dict[str, str]:
    """Return the label of a route that has the host and the path of *expose*, by which others of them are found."""
    address = f"{expose.host}{expose.path}".encode()
    return {ADDRESS_LABEL: hashlib.sha256(address).hexdigest()[:_DIGITS]}


def ingress(parent: Parent, spec: MyResourceSpec, _: Replicas) -> Manifest | None:
    """Return the Ingress that *spec* asks for."""
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
    """Return the HTTPRoute that *spec* asks for."""
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
