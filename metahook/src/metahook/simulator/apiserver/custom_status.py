"""The status of custom resources: what the schemas of their CRDs drop from it, and what they refuse.

Source: Kubernetes 1.36, apiextensions-apiserver, pkg/apiserver/schema/pruning.
"""

from collections.abc import Iterable
from typing import Any

from metahook.simulator.apiserver.custom_rules import KEEPS_ALL, problems, schemas
from metahook.simulator.apiserver.store import StatusAdmission
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.objects import Json


def custom_statuses(crds: Iterable[Json]) -> StatusAdmission:
    """Return the admission of the statuses of the kinds of *crds*."""
    by_kind = schemas(crds)

    def admit(item: Json, status: Json) -> Json:
        schema = by_kind.get((item["apiVersion"], item["kind"]))
        if not schema:
            return status
        kept: Json = declared({"status": status}, schema).get("status") or {}
        problem = next(problems({"status": kept}, {"properties": schema.get("properties")}), None)
        if problem:
            raise ApiError("Invalid", str(problem))
        return kept

    return admit


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
