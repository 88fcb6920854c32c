"""A JSON schema of CompositeController that allows only the fields that the chart uses.

Written from Metacontroller 4.17.2's documentation, so that a typing mistake is found without its CRD.
"""

from typing import Any

Json = dict[str, Any]

TEXT: Json = {"type": "string", "minLength": 1}


def _closed(required: list[str], **properties: Json) -> Json:
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


HOOK = _closed(
    ["version", "webhook"],
    version={"enum": ["v1", "v2"]},
    webhook=_closed(
        ["url", "timeout"],
        url={"type": "string", "pattern": "^https?://[^/]+/.+$"},
        timeout={"type": "string", "pattern": "^[1-9][0-9]*(ms|s)$"},
        responseUnMarshallMode={"enum": ["loose", "strict"]},
    ),
)

CHILD = _closed(
    ["apiVersion", "resource"],
    apiVersion=TEXT,
    resource=TEXT,
    updateStrategy=_closed(
        ["method"], method={"enum": ["OnDelete", "Recreate", "InPlace", "RollingRecreate", "RollingInPlace"]}
    ),
)

COMPOSITE_CONTROLLER = _closed(
    ["apiVersion", "kind", "metadata", "spec"],
    apiVersion={"const": "metacontroller.k8s.io/v1alpha1"},
    kind={"const": "CompositeController"},
    metadata=_closed(["name"], name={**TEXT, "maxLength": 43}, labels={"type": "object"}),
    spec=_closed(
        ["parentResource", "hooks"],
        parentResource=_closed(
            ["apiVersion", "resource"], apiVersion=TEXT, resource=TEXT, ignoreStatusChanges={"type": "boolean"}
        ),
        childResources={"type": "array", "items": CHILD},
        generateSelector={"type": "boolean"},
        resyncPeriodSeconds={"type": "integer", "minimum": 1},
        hooks=_closed(["sync"], sync=HOOK, customize=HOOK, finalize=HOOK),
    ),
)
