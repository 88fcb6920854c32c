"""The CRD of a kind that the tests bring."""

from metahook import Kind
from metahook.simulator.objects import Json

ANYTHING: Json = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_FREE: Json = {"type": "object", "properties": {"spec": ANYTHING, "status": ANYTHING}}


def definition(kind: Kind, schema: Json = _FREE, **annotations: str) -> Json:
    """Return the CRD of the namespaced *kind*, with a status subresource, and any spec unless *schema* says more."""
    group, _, version = kind.api_version.partition("/")
    served = {
        "name": version,
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.plural}.{group}", "annotations": annotations},
        "spec": {
            "group": group,
            "names": {"kind": kind.kind, "plural": kind.plural},
            "scope": "Namespaced",
            "versions": [served],
        },
    }
