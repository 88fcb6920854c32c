"""A JSON schema of CompositeController that allows only the fields that the chart uses.

Written from Metacontroller 4.17.2's documentation, so that a typing mistake is found without its CRD.
"""

from typing import Any

Json = dict[str, Any]

TEXT: Json = {"type": "string", "minLength": 1}


def closed(required: list[str], **properties: Json) -> Json:
    """Return the schema of an object that has no other *properties*, and all that are *required*."""
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


HOOK = closed(
    ["version", "webhook"],
    version={"enum": ["v1", "v2"]},
    webhook=closed(
        ["url", "timeout"],
        url={"type": "string", "pattern": "^https?://[^/]+/.+$"},
        timeout={"type": "string", "pattern": "^[1-9][0-9]*(ms|s)$"},
        responseUnMarshallMode={"enum": ["loose", "strict"]},
    ),
)

_SECRET = closed(["name", "namespace"], name=TEXT, namespace=TEXT)
_SECRET_KEY = closed(["name", "namespace", "key"], name=TEXT, namespace=TEXT, key=TEXT)
_CERTIFICATES = {"type": "string", "pattern": "^-----BEGIN CERTIFICATE-----\n"}
_CA_BUNDLE = {"minProperties": 1, "maxProperties": 1} | closed(
    [], inline=_CERTIFICATES, secretRef=_SECRET_KEY, configMapRef=_SECRET_KEY
)

ENDPOINT = closed(
    ["host", "caBundle"],
    host=TEXT,
    caBundle=_CA_BUNDLE,
    clientTLS=closed(["secretRef"], secretRef=_SECRET),
    authorization=closed(["secretRef"], secretRef=_SECRET_KEY),
)

CHILD = closed(
    ["apiVersion", "resource"],
    apiVersion=TEXT,
    resource=TEXT,
    updateStrategy=closed(
        ["method"], method={"enum": ["OnDelete", "Recreate", "InPlace", "RollingRecreate", "RollingInPlace"]}
    ),
)

_EXPRESSION = closed(
    ["key", "operator"],
    key=TEXT,
    operator={"enum": ["In", "NotIn", "Exists", "DoesNotExist"]},
    values={"type": "array", "items": TEXT, "minItems": 1, "uniqueItems": True},
)
LABEL_SELECTOR = {"minProperties": 1} | closed(
    [],
    matchLabels={"type": "object", "additionalProperties": TEXT},
    matchExpressions={"type": "array", "items": _EXPRESSION},
)

COMPOSITE_CONTROLLER = closed(
    ["apiVersion", "kind", "metadata", "spec"],
    apiVersion={"const": "metacontroller.k8s.io/v1alpha1"},
    kind={"const": "CompositeController"},
    metadata=closed(
        ["name"], name={**TEXT, "maxLength": 43}, labels={"type": "object"}, annotations={"type": "object"}
    ),
    spec=closed(
        ["parentResource", "hooks"],
        parentResource=closed(
            ["apiVersion", "resource"],
            apiVersion=TEXT,
            resource=TEXT,
            ignoreStatusChanges={"type": "boolean"},
            labelSelector=LABEL_SELECTOR,
        ),
        childResources={"type": "array", "items": CHILD},
        endpointConfigs={"type": "array", "items": ENDPOINT},
        generateSelector={"type": "boolean"},
        resyncPeriodSeconds={"type": "integer", "minimum": 1},
        hooks=closed(["sync"], sync=HOOK, customize=HOOK, finalize=HOOK),
    ),
)
