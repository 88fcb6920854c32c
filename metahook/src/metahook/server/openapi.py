"""The OpenAPI document of the hooks. The schemas come from the structs that requests and responses are coded with.

FastAPI can't make it: the routes take raw bodies.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from metahook.protocol import wire
from metahook.server.refusal import FAILED, TOO_LARGE, TOO_SLOW, UNSUPPORTED, Refusal

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
_REFUSALS = (_MALFORMED, TOO_SLOW, TOO_LARGE, UNSUPPORTED, FAILED)


def openapi_document(title: str, version: str, prefixes: Iterable[str]) -> Json:
    """Return the OpenAPI document of the hooks under each of *prefixes*, such as ``/myresource``, or none: ``""``."""
    _, schemas = msgspec.json.schema_components(_BODIES, ref_template=_REF)
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version},
        "paths": {path: hook for prefix in prefixes for path, hook in _hooks(prefix).items()},
        "components": {"schemas": schemas},
    }


def _hooks(prefix: str) -> Json:
    return {
        f"{prefix}/sync": _hook("Decide the children and the status of a parent.", "Sync", prefix),
        f"{prefix}/customize": _hook("Name the related objects that a parent's sync needs.", "Customize", prefix),
    }


def _hook(summary: str, name: str, prefix: str) -> Json:
    return {
        "post": {
            "summary": summary,
            "operationId": f"{prefix}/{name.lower()}".removeprefix("/").replace("/", "-"),
            "requestBody": {**_json("What Metacontroller sends.", f"{name}RequestBody"), "required": True},
            "responses": {
                "200": _json("The response.", f"{name}ResponseBody"),
                **{str(refusal.status): _json(refusal.message, "RefusalBody") for refusal in _REFUSALS},
            },
        },
    }


def _json(description: str, schema: str) -> Json:
    return {"description": description, "content": {"application/json": {"schema": {"$ref": _REF.format(name=schema)}}}}
