"""What the hooks' requests and answers look like, for people and tools that read OpenAPI.

Written by hand, because the routes take raw bodies. Source: Metacontroller, CompositeController hooks v2.
"""

from typing import Any

Schema = dict[str, Any]


def _object(description: str, properties: dict[str, Schema], *required: str) -> Schema:
    return {"type": "object", "description": description, "properties": properties, "required": list(required)}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _json(description: str, schema: str) -> Schema:
    return {"description": description, "content": {"application/json": {"schema": _ref(schema)}}}


_GROUPS: Schema = {
    "type": "object",
    "description": "Objects by kind, such as Deployment.apps/v1, and by namespace/name.",
    "additionalProperties": {"type": "object", "additionalProperties": {"type": "object"}},
}
_PARENT_METADATA = _object(
    "Metadata of the parent.",
    {
        "name": {"type": "string", "minLength": 1},
        "namespace": {"type": "string", "minLength": 1},
        "uid": {"type": "string", "minLength": 1},
        "generation": {"type": "integer", "minimum": 0},
    },
    "name",
    "namespace",
    "uid",
    "generation",
)

_SCHEMAS: dict[str, Schema] = {
    "Parent": _object(
        "The object that the controller is for, whole.",
        {"metadata": _PARENT_METADATA, "spec": {"type": "object"}, "status": {"type": "object"}},
        "metadata",
    ),
    "SyncRequest": _object(
        "A parent, its observed children, and the related objects that customize asked for.",
        {"parent": _ref("Parent"), "children": _GROUPS, "related": _GROUPS},
        "parent",
        "children",
    ),
    "SyncResponse": _object(
        "Every child that shall live, and the status. What is not listed is deleted.",
        {
            "status": {"type": "object", "minProperties": 1},
            "children": {"type": "array", "items": {"type": "object"}},
            "resyncAfterSeconds": {"type": "integer", "minimum": 1, "maximum": 86400},
        },
        "status",
        "children",
    ),
    "CustomizeRequest": _object("A parent.", {"parent": _ref("Parent")}, "parent"),
    "CustomizeResponse": _object(
        "Which related objects the parent's sync needs.",
        {
            "relatedResources": {
                "type": "array",
                "items": _object(
                    "Objects of one kind, by names or by labels.",
                    {
                        "apiVersion": {"type": "string"},
                        "resource": {"type": "string"},
                        "namespace": {"type": "string"},
                        "names": {"type": "array", "items": {"type": "string"}},
                        "labelSelector": {"type": "object"},
                    },
                    "apiVersion",
                    "resource",
                    "namespace",
                ),
            },
        },
        "relatedResources",
    ),
    "Refusal": _object("Nothing was decided, and nothing changes.", {"error": {"type": "string"}}, "error"),
}


def _hook(summary: str, name: str) -> Schema:
    request = _json("What Metacontroller sends.", f"{name}Request")
    return {
        "post": {
            "summary": summary,
            "operationId": name.lower(),
            "requestBody": {**request, "required": True},
            "responses": {
                "200": _json("The answer.", f"{name}Answer"),
                "400": _json("The body is not a hook request.", "Refusal"),
                "408": _json("The body did not arrive in time.", "Refusal"),
                "413": _json("The body is too large.", "Refusal"),
                "415": _json("The body is not plain application/json.", "Refusal"),
                "500": _json("The hook failed.", "Refusal"),
            },
        },
    }


def document(title: str, version: str) -> dict[str, Any]:
    """Return the OpenAPI document of the two hooks."""
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version},
        "paths": {
            "/sync": _hook("Decide the children and the status of a parent.", "Sync"),
            "/customize": _hook("Name the related objects that a parent's sync needs.", "Customize"),
        },
        "components": {"schemas": _SCHEMAS},
    }
