"""The OpenAPI document of the hooks. The schemas come from the structs that requests and responses are coded with.

FastAPI can't make it: the routes take raw bodies.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from metahook.protocol import wire
from metahook.protocol.controller import Controller
from metahook.protocol.sender import CREATED
from metahook.server.refusal import (
    FAILED,
    TOO_LARGE,
    TOO_LONG,
    TOO_MANY_REQUESTS,
    TOO_SLOW,
    UNAUTHORIZED,
    UNSUPPORTED,
    Refusal,
)

Json = dict[str, Any]


_BODIES = (
    wire.SyncRequestBody,
    wire.SyncResponseBody,
    wire.CustomizeRequestBody,
    wire.CustomizeResponseBody,
    wire.RefusalBody,
)
_REF = "#/components/schemas/{name}"

_MALFORMED = Refusal(wire.MALFORMED, "The body is not a hook request; the error tells which rule it breaks.")
_REFUSALS = (_MALFORMED, UNAUTHORIZED, TOO_SLOW, TOO_LARGE, UNSUPPORTED, TOO_MANY_REQUESTS, FAILED, TOO_LONG)

_METADATA = {"name": "example", "namespace": "default", "uid": "1", "generation": 1, "creationTimestamp": CREATED}
"""What every stored parent has."""


def openapi_document(title: str, version: str, controllers: Mapping[str, Controller]) -> Json:
    """Return the OpenAPI document of the hooks of *controllers*, by prefix: such as ``/myresource``, or ``""``."""
    _, schemas = msgspec.json.schema_components(_BODIES, ref_template=_REF)
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version},
        "paths": {path: hook for item in controllers.items() for path, hook in _hooks(*item).items()},
        "components": {"schemas": schemas},
    }


def _hooks(prefix: str, controller: Controller) -> Json:
    children: Json = {struct.KIND.group_key: {} for struct in controller.children}
    parent: Json = {"metadata": _METADATA, "spec": dict(controller.example_spec)}
    sync = {"parent": parent, "children": children}
    needs = "Name the related objects that a parent's sync needs."
    return {
        f"{prefix}/sync": _hook("Decide the children and the status of a parent.", "Sync", prefix, sync),
        f"{prefix}/customize": _hook(needs, "Customize", prefix, {"parent": parent}),
    }


def _hook(summary: str, name: str, prefix: str, example: Json) -> Json:
    body = _json("What Metacontroller sends.", f"{name}RequestBody", example=example)
    return {
        "post": {
            "summary": summary,
            "operationId": f"{prefix}/{name.lower()}".removeprefix("/").replace("/", "-"),
            "requestBody": {**body, "required": True},
            "responses": {
                "200": _json("The response.", f"{name}ResponseBody"),
                **{str(refusal.status): _json(refusal.message, "RefusalBody") for refusal in _REFUSALS},
            },
        },
    }


def _json(description: str, schema: str, **more: Json) -> Json:
    content = {"schema": {"$ref": _REF.format(name=schema)}, **more}
    return {"description": description, "content": {"application/json": content}}
