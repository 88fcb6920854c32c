"""The status of custom resources: what the schemas of their CRDs drop from it, and what they refuse.

Types, required fields and the words of an enum are checked; patterns, limits and CEL rules are not.

Source: Kubernetes 1.36, apiextensions-apiserver, pkg/apiserver/schema/pruning, and pkg/apiserver/validation.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from metahook.simulator.apiserver.store import StatusAdmission
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.objects import Json

KEEPS_ALL = "x-kubernetes-preserve-unknown-fields"

_TYPES: dict[str, Callable[[Any], bool]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: type(value) is int or (isinstance(value, float) and value.is_integer()),
    "number": lambda value: type(value) in (int, float),
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}


def custom_statuses(crds: Iterable[Json]) -> StatusAdmission:
    """Return the admission of the statuses of the kinds of *crds*."""
    schemas = {key: schema for crd in crds for key, schema in _schemas(crd)}

    def admit(item: Json, status: Json) -> Json:
        schema = schemas.get((item["apiVersion"], item["kind"]))
        if schema is None:
            return status
        kept: Json = declared({"status": status}, schema).get("status") or {}
        problem = next(problems({"status": kept}, {"properties": schema.get("properties")}, ""), None)
        if problem:
            raise ApiError("Invalid", problem)
        return kept

    return admit


def _schemas(crd: Json) -> Iterator[tuple[tuple[str, str], Json]]:
    """Yield API version, kind and schema of each version of *crd* that has one."""
    spec = crd["spec"]
    for version in spec["versions"]:
        schema = (version.get("schema") or {}).get("openAPIV3Schema")
        if isinstance(schema, dict):
            yield (f"{spec['group']}/{version['name']}", spec["names"]["kind"]), schema


def declared(value: Any, schema: Json) -> Any:
    """Return *value* without the fields that its *schema* does not declare."""
    if isinstance(value, list):
        return [declared(item, schema.get("items") or {KEEPS_ALL: True}) for item in value]
    if not isinstance(value, dict) or schema.get("x-kubernetes-embedded-resource"):
        return value
    fields, others = schema.get("properties") or {}, schema.get("additionalProperties")
    rest = others if isinstance(others, dict) else {KEEPS_ALL: True} if others or schema.get(KEEPS_ALL) else None
    below = {name: fields.get(name, rest) for name in value}
    return {name: declared(value[name], schema) for name, schema in below.items() if schema is not None}


def problems(value: Any, schema: Json, path: str) -> Iterator[str]:
    """Yield a sentence for each field of *value*, at *path*, that its *schema* refuses."""
    expected = schema.get("type")
    if value is None:
        return  # dropped, or nullable
    if schema.get("x-kubernetes-int-or-string"):
        if type(value) not in (int, str):
            yield f"{path}: must be a whole number or a string"
    elif expected in _TYPES and not _TYPES[expected](value):
        yield f"{path}: must be of type {expected}"
    elif schema.get("enum") and value not in schema["enum"]:
        yield f"{path}: must be one of {', '.join(map(str, schema['enum']))}"
    elif isinstance(value, dict):
        fields, others = schema.get("properties") or {}, schema.get("additionalProperties")
        rest = others if isinstance(others, dict) else {}
        yield from (_at(path, name) + ": Required value" for name in schema.get("required") or () if name not in value)
        for name, inner in value.items():
            yield from problems(inner, fields.get(name, rest), _at(path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from problems(item, schema.get("items") or {}, f"{path}[{index}]")


def _at(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
