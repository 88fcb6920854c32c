"""What the OpenAPI document says of the routes. The schemas come from the structs that bodies are coded with.

FastAPI makes the document. It can't make the schemas, because the routes take raw bodies.
"""

from typing import Any

import msgspec
from starlette.responses import Response

from metahook.protocol import bodies
from metahook.protocol.controller import Controller
from metahook.protocol.objects import Json
from metahook.protocol.request_builder import CREATED

_REFUSALS = {
    "4XX": "The request is refused: the error tells which rule it breaks, or how to send it.",
    "5XX": "The hook failed, stopped, or did not decide in time; its log has the id.",
}

_METADATA = {"name": "example", "namespace": "default", "uid": "1", "generation": 1, "creationTimestamp": CREATED}
"""What every stored parent has."""

_REFERENCE = "#/$defs/"

_SUMMARIES = {
    "composite": {
        "sync": "Decide the children and the status of a parent.",
        "customize": "Name the related objects that a parent's sync needs.",
        "finalize": "Decide what is left to do before a parent is deleted.",
    },
    "decorator": {
        "sync": "Decide the attachments of an object.",
        "customize": "Name the related objects that an object's sync needs.",
        "finalize": "Decide what is left to do before an object is deleted.",
    },
}

_RESPONSES: dict[str, dict[str, type]] = {
    "composite": {"sync": bodies.SyncResponseBody, "finalize": bodies.FinalizeResponseBody},
    "decorator": {"sync": bodies.DecoratorResponseBody, "finalize": bodies.DecoratorFinalizeResponseBody},
}


def documentation(controller: Controller, hook: str) -> Json:
    """Return the arguments of FastAPI that document the *hook* of *controller*."""
    summary, shape = _SUMMARIES[controller.api][hook], controller.shape
    if hook == "customize":
        return _documentation(summary, shape.customize, bodies.CustomizeResponseBody, {"parent": _parent(controller)})
    example = {
        shape.parent: _parent(controller),
        shape.children: {struct.KIND.group_key: {} for struct in controller.children},
        **({"finalizing": True} if hook == "finalize" else {}),
    }
    return _documentation(summary, shape.sync, _RESPONSES[controller.api][hook], example)


def _parent(controller: Controller) -> Json:
    kind = controller.parent
    left_out = {"namespace"} if kind and not kind.namespaced else set()
    metadata = {name: value for name, value in _METADATA.items() if name not in left_out}
    return {"metadata": metadata, "spec": dict(controller.example_spec)}


def _documentation(summary: str, request: type, response: type, example: Json) -> Json:
    body = {**_described("What Metacontroller sends.", request, example=example), "required": True}
    refusals = {code: _described(text, bodies.RefusalBody) for code, text in _REFUSALS.items()}
    return {
        "summary": summary,
        "response_class": Response,
        "openapi_extra": {"requestBody": body},
        "responses": {"200": _described("The response.", response), **refusals},
    }


def _described(description: str, body: type, **more: Json) -> Json:
    return {"description": description, "content": {"application/json": {"schema": _schema(body), **more}}}


def _schema(body: type) -> Json:
    """Return the schema of *body* in one piece: a route can't add to the components of the document."""
    schema = msgspec.json.schema(body)
    whole: Json = _without_references(schema, schema.pop("$defs", {}))
    return whole


def _without_references(schema: Any, definitions: Json) -> Any:  # noqa: ANN401 - a part of a schema
    if isinstance(schema, list):
        return [_without_references(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _without_references(definitions[schema["$ref"].removeprefix(_REFERENCE)], definitions)
    return {key: _without_references(value, definitions) for key, value in schema.items()}
