"""Installations: requests that contain the CompositeController that Metacontroller sends."""

import json

from tests.requests.builders import Json, finished, grouped, my_resource

SPEC: Json = {
    "image": "nginx:1.27",
    "memory": "128Mi",
    "replicas": 1,
    "securityProfile": "Baseline",
    "service": {"mode": "Auto"},
    "configReload": {"mode": "Auto"},
}
"""A spec with the defaults that the API server adds."""


def request(controller: object, status: Json | None = None, **spec: object) -> bytes:
    """Return a sync request with the field *controller*, for a MyResource at rest; *spec* are fields of its spec."""
    parent = my_resource(spec={**SPEC, **spec}, status=status)
    body = {"controller": controller, "parent": parent, "children": grouped(*finished(parent)), "related": {}}
    return json.dumps(body, separators=(",", ":")).encode()
