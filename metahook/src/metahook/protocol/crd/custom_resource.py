"""A CustomResourceDefinition, made from the structs that a hook reads its parents by."""

from collections.abc import Mapping, Sequence

import msgspec

from metahook.protocol.crd.structural_schema import Schema, structural
from metahook.protocol.objects.kind import Kind
from metahook.protocol.objects.manifest import Manifest

_COLUMN_TYPES = {"integer", "number", "boolean"}


def crd(
    kind: Kind,
    spec: type[msgspec.Struct],
    status: type[msgspec.Struct],
    *,
    columns: Mapping[str, str] | None = None,
    short_names: Sequence[str] = (),
) -> Manifest:
    """Return the CRD of *kind*, whose objects have *spec* and *status*; raise NotStructural for what a CRD can't say.

    *columns* are what ``kubectl get`` prints beside the name and the age: JSON paths, such as ``.spec.image``, by the
    heading. A docstring of a struct, or below one of its fields, is what ``kubectl explain`` prints. A CEL rule of
    a field is in ``Meta(extra_json_schema={"x-kubernetes-validations": [...]})`` of msgspec. Raise ValueError for a
    *kind* without a group.
    """
    group, _, version = kind.api_version.partition("/")
    if not version:
        message = f"{kind.kind}: a CRD needs a group, as in example.com/v1"
        raise ValueError(message)
    schema = _schema(structural(spec, "spec"), structural(status, "status"))
    names = {"kind": kind.kind, "listKind": f"{kind.kind}List", "plural": kind.plural, "singular": kind.kind.lower()}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.plural}.{group}"},
        "spec": {
            "group": group,
            "names": {**names, **({"shortNames": list(short_names)} if short_names else {})},
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    **({"additionalPrinterColumns": _columns(columns, schema)} if columns else {}),
                    "schema": {"openAPIV3Schema": schema},
                }
            ],
        },
    }


def _schema(spec: Schema, status: Schema) -> Schema:
    # Metacontroller writes it; an API server would drop it, and each sync would write it again.
    status["properties"]["observedGeneration"] = {"type": "integer", "format": "int64"}
    if not spec.get("required"):
        spec["default"] = {}  # the defaults of the fields are those of an object without a spec, too
    return {
        "type": "object",
        **({"required": ["spec"]} if spec.get("required") else {}),
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": spec,
            "status": status,
        },
    }


def _columns(columns: Mapping[str, str], schema: Schema) -> list[dict[str, str]]:
    listed = [{"name": name, "type": _column_type(path, schema), "jsonPath": path} for name, path in columns.items()]
    return [*listed, {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]


def _column_type(path: str, schema: Schema) -> str:
    """Return the type of the field at *path*, if it is one that a column has; else string, which any value has."""
    for name in path.removeprefix(".").split("."):
        schema = schema.get("properties", {}).get(name, {})
    found: str = schema.get("type", "")
    return found if found in _COLUMN_TYPES else "string"
