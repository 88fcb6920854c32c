"""The CustomResourceDefinition, made from the models. ``myresource crd`` prints it; ``crds/`` holds a copy."""

from typing import Any

from app.api.dependencies import NOT_ITSELF
from app.api.schema.structural import Schema, structural
from app.api.spec import MyResourceSpec
from app.api.status import MyResourceStatus
from app.api.values.names import GROUP, KIND, PLURAL, SHORT_NAME, SINGULAR, VERSION
from app.api.values.scalar import NAME

_READY = '.status.conditions[?(@.type=="Ready")]'


def _column(name: str, path: str, kind: str = "string", *, wide: bool = False) -> dict[str, Any]:
    return {"name": name, "type": kind, "jsonPath": path, **({"priority": 1} if wide else {})}


COLUMNS = [
    _column("Ready", f"{_READY}.status"),
    _column("State", ".status.state"),
    _column("Reason", f"{_READY}.reason"),
    _column("Image", ".spec.image"),
    _column("Replicas", ".status.replicas", "integer"),
    _column("Updated", ".status.updatedReplicas", "integer", wide=True),
    _column("Ready Pods", ".status.readyReplicas", "integer", wide=True),
    _column("Age", ".metadata.creationTimestamp", "date"),
    _column("Memory", ".spec.memory", wide=True),
    _column("Address", ".status.address", wide=True),
    _column("Next", ".status.schedule.nextTransition", wide=True),
    _column("Message", f"{_READY}.message", wide=True),
]


def schema() -> Schema:
    """Return the structural schema of a MyResource."""
    name = {
        "type": "string",
        "description": "Name of the MyResource. Its Deployment is called NAME-deployment.",
        "maxLength": 63,
        "x-kubernetes-validations": NAME.crd(),
    }
    return {
        "type": "object",
        "description": "A MyResource runs an application: a Deployment, and a Service if it has ports.",
        "required": ["spec"],
        "properties": {
            "apiVersion": {
                "type": "string",
                "description": "API version of this object: mygroup.example.com/v1alpha1.",
            },
            "kind": {"type": "string", "description": "Kind of this object: MyResource."},
            "metadata": {
                "type": "object",
                "properties": {"name": name},
            },
            "spec": structural(MyResourceSpec),
            "status": structural(MyResourceStatus),
        },
        "x-kubernetes-validations": NOT_ITSELF.crd(),
    }


def crd() -> dict[str, Any]:
    """Return the CustomResourceDefinition of MyResource."""
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema()},
        "subresources": {
            "status": {},
            "scale": {
                "specReplicasPath": ".spec.replicas",
                "statusReplicasPath": ".status.replicas",
                "labelSelectorPath": ".status.selector",
            },
        },
        "additionalPrinterColumns": COLUMNS,
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": {
                "kind": KIND,
                "listKind": f"{KIND}List",
                "plural": PLURAL,
                "singular": SINGULAR,
                "shortNames": [SHORT_NAME],
            },
            "scope": "Namespaced",
            "versions": [version],
        },
    }
