"""Installations: the CompositeController that Metacontroller sends, as recorded, and requests that contain it."""

import json
from pathlib import Path

from tests.requests.builders import Json, finished, grouped, my_resource

RIGHT: Json = json.loads((Path(__file__).parents[1] / "data/installation/controller.json").read_text())
"""The field ``controller`` of a request from a real Metacontroller 4.17.2, after an installation of the chart."""

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
