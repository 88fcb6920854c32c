"""The schemas of CRDs: what the API server drops from an object, and what it refuses."""

from collections.abc import Iterator
from typing import Any

from metahook.cli.files.manifest import Manifest
from metahook.protocol.kind import Kind

Json = dict[str, Any]

Path = tuple[str | int, ...]

KEEPS_ALL = "x-kubernetes-preserve-unknown-fields"

_TYPES: dict[str, tuple[type, ...]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}


def schema_of(kind: Kind, crds: tuple[Manifest, ...]) -> tuple[Manifest, Path, Json] | None:
    """Return the CRD of *kind*, and the path and the value of its schema; None if no CRD of *crds* has one."""
    for crd in crds:
        spec = crd.content["spec"]
        for index, version in enumerate(spec["versions"]):
            api_version = f"{spec['group']}/{version['name']}"
            schema = (version.get("schema") or {}).get("openAPIV3Schema")
            if (api_version, spec["names"]["kind"]) == (kind.api_version, kind.kind) and isinstance(schema, dict):
                return crd, ("spec", "versions", index, "schema", "openAPIV3Schema"), schema
    return None


def property_of(schema: Json, *names: str) -> Json | None:
    """Return the schema of the field at *names*; None if it is dropped, and one for any value if any is kept there."""
    for name in names:
        below = (schema.get("properties") or {}).get(name)
        if below is None:
            return {KEEPS_ALL: True} if schema.get(KEEPS_ALL) or schema.get("additionalProperties") else None
        schema = below
    return schema


def dropped_fields(value: Any, schema: Json, path: str) -> Iterator[str]:  # noqa: ANN401 - any JSON
    """Yield the paths of the fields of *value*, at *path*, that its *schema* does not declare."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from dropped_fields(item, schema.get("items") or {KEEPS_ALL: True}, f"{path}[{index}]")
    if not isinstance(value, dict):
        return
    fields, others = schema.get("properties") or {}, schema.get("additionalProperties")
    for name, inner in value.items():
        below = fields.get(name, others if isinstance(others, dict) else None)
        if below is not None:
            yield from dropped_fields(inner, below, f"{path}.{name}")
        elif not others and not schema.get(KEEPS_ALL):
            yield f"{path}.{name}"


def wrong_values(value: Any, schema: Json, path: str) -> Iterator[str]:  # noqa: ANN401 - any JSON
    """Yield a sentence for each field of *value*, at *path*, of a type or a word that its *schema* does not allow."""
    expected = schema.get("type")
    if schema.get("x-kubernetes-int-or-string"):
        if type(value) not in (int, str):
            yield f"{path} must be a whole number or a string"
    elif value is None:
        return  # dropped, or nullable
    elif expected in _TYPES and type(value) not in _TYPES[expected] and not _is_whole(value, expected):
        yield f"{path} must be of type {expected}"
    elif schema.get("enum") and value not in schema["enum"]:
        yield f"{path} must be one of {', '.join(map(str, schema['enum']))}"
    elif isinstance(value, dict):
        fields, others = schema.get("properties") or {}, schema.get("additionalProperties")
        yield from (f"{path}.{name} is required" for name in schema.get("required") or () if name not in value)
        for name, inner in value.items():
            below = fields.get(name, others if isinstance(others, dict) else {})
            yield from wrong_values(inner, below, f"{path}.{name}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from wrong_values(item, schema.get("items") or {}, f"{path}[{index}]")


def _is_whole(value: object, expected: str) -> bool:
    return expected == "integer" and isinstance(value, float) and value.is_integer()
