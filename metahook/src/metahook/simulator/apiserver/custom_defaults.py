"""The admission of custom resources, by the schemas of their CRDs: defaults, and what is dropped and refused.

Source: Kubernetes 1.34, apiextensions-apiserver, pkg/apiserver/schema/defaulting.
"""

from collections.abc import Callable, Iterable
from typing import Any

from metahook.simulator.apiserver.custom_rules import Problem, declared, problems, schemas
from metahook.simulator.apiserver.store import Admission, StatusAdmission
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.objects import Json, copy_json

SYSTEM = ("apiVersion", "kind", "metadata", "status")
"""Fields that get no defaults here: a status is written by itself."""


def custom_defaults(crds: Iterable[Json]) -> Admission:
    """Return the admission that adds the defaults of *crds* to the objects of their kinds."""
    own = {key: own_fields(schema) for key, schema in schemas(crds).items()}

    def admit(item: Json, live: Json | None) -> Json:
        del live  # an update gets the same defaults
        schema = own.get((item["apiVersion"], item["kind"]))
        return item if schema is None else with_defaults(item, schema)

    return admit


def validation(judge: Callable[[Json, Json | None], list[Problem]]) -> Admission:
    """Return the admission that refuses a new object, or one that replaces a live one, for what *judge* returns."""

    def admit(item: Json, live: Json | None) -> Json:
        wrong = judge(item, live)
        if wrong:
            raise ApiError("Invalid", *(problem.about(item) for problem in wrong))
        return item

    return admit


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


def own_fields(schema: Json) -> Json:
    """Return the schema of the fields that a user writes, without metadata."""
    return {
        "properties": {name: field for name, field in (schema.get("properties") or {}).items() if name not in SYSTEM}
    }


def with_defaults(value: Any, schema: Json) -> Any:
    """Return *value* with the defaults of *schema* for absent fields, also in lists and maps.

    A null counts as absent, unless it may be there or nothing is known of its field.
    """
    if isinstance(value, list):
        return [with_defaults(item, schema.get("items") or {}) for item in value]
    if not isinstance(value, dict):
        return value
    fields, others = schema.get("properties") or {}, schema.get("additionalProperties")
    added = {name: _copy(field["default"]) for name, field in fields.items() if _is_defaulted(value, name, field)}
    rest = others if isinstance(others, dict) else {"nullable": True}
    return {
        name: with_defaults(inner, fields.get(name, rest))
        for name, inner in {**value, **added}.items()
        if inner is not None or fields.get(name, rest).get("nullable")
    }


def _is_defaulted(value: Json, name: str, field: Json) -> bool:
    """Tell whether the *field* of *value* called *name* gets its default."""
    return "default" in field and (name not in value or (value[name] is None and not field.get("nullable")))


def _copy(value: Any) -> Any:
    return copy_json(value) if isinstance(value, dict | list) else value
