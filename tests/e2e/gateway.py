"""The kind HTTPRoute of the Gateway API, with the fields and defaults of its standard channel that a route needs.

With GATEWAY_API_CRD, the path of ``gateway.networking.k8s.io_httproutes.yaml`` of a release, the tests use that one.
"""

import os
from pathlib import Path

from metahook import HTTPRoute
from metahook.envtest.cluster import documents
from metahook.simulator.objects import Json
from tests.e2e.definition import ANYTHING, definition

GROUP = "gateway.networking.k8s.io"
_TEXT: Json = {"type": "string"}
_PORT: Json = {"type": "integer", "format": "int32"}


def _object(*required: str, **properties: Json) -> Json:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def _list(items: Json, **more: object) -> Json:
    return {"type": "array", "items": items, "x-kubernetes-list-type": "atomic", **more}


def _default(value: object) -> Json:
    return {"type": "integer" if isinstance(value, int) else "string", "default": value}


_PARENT = _object(
    "name", group=_default(GROUP), kind=_default("Gateway"), name=_TEXT, namespace=_TEXT, sectionName=_TEXT, port=_PORT
)
_BACKEND = _object(
    "name", group=_default(""), kind=_default("Service"), name=_TEXT, namespace=_TEXT, port=_PORT, weight=_default(1)
)
_EVERYTHING: Json = {"type": "PathPrefix", "value": "/"}
_PATH = {**_object(type=_default("PathPrefix"), value=_default("/")), "default": _EVERYTHING}
_RULE = _object(
    matches=_list(_object(path=_PATH, method=_TEXT), default=[{"path": _EVERYTHING}]),
    backendRefs=_list(_BACKEND),
    timeouts=ANYTHING,
)
_SPEC = _object(
    parentRefs=_list(_PARENT),
    hostnames=_list(_TEXT),
    rules=_list(_RULE, default=[{"matches": [{"path": _EVERYTHING}]}]),
)
_STATUS = _object(
    "parents",
    parents=_list(
        _object(
            "parentRef",
            "controllerName",
            parentRef=_PARENT,
            controllerName=_TEXT,
            conditions={"type": "array", "items": ANYTHING},
        )
    ),
)

_APPROVED = {"api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/2997"}
_CRD = definition(HTTPRoute.KIND, _object("spec", spec=_SPEC, status=_STATUS), **_APPROVED)


def crds() -> list[Json]:
    """Return the CRD of HTTPRoute."""
    path = os.environ.get("GATEWAY_API_CRD")
    return list(documents(Path(path))) if path else [_CRD]


def accepted(route: Json, **statuses: str) -> Json:
    """Return the status that the controller of a Gateway writes to *route*."""
    states = {"Accepted": "True", "ResolvedRefs": "True", **statuses}
    about = {"observedGeneration": route["metadata"]["generation"], "lastTransitionTime": "2026-01-31T12:00:00Z"}
    conditions = [
        {"type": name, "status": status, "reason": name if status == "True" else "NotAllowedByListeners", "message": ""}
        for name, status in states.items()
    ]
    parent = {
        "parentRef": route["spec"]["parentRefs"][0],
        "controllerName": "example.com/controller",
        "conditions": [{**condition, **about} for condition in conditions],
    }
    return {"status": {"parents": [parent]}}
