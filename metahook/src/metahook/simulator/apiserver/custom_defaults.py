"""The admission of custom resources, by the schemas of their CRDs: defaults, and what is dropped and refused.

Source: Kubernetes 1.34, apiextensions-apiserver, pkg/apiserver/schema/defaulting.
"""

from collections.abc import Callable, Iterable
from typing import Any

from metahook.simulator.apiserver.custom_rules import (
    Problem,
    broken_rules,
    declared,
    is_unchanged,
    problems,
    schemas,
)
from metahook.simulator.apiserver.store import Admission, StatusAdmission
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.objects import Json, copy_json

_SYSTEM = ("apiVersion", "kind", "metadata", "status")
"""Fields that get no defaults here: a status is written by itself."""


def custom_defaults(crds: Iterable[Json]) -> Admission:
    """Return the admission that adds the defaults of *crds* to the objects of their kinds."""
    own = {key: _own_fields(schema) for key, schema in schemas(crds).items()}

    def admit(item: Json, live: Json | None) -> Json:
        del live  # an update gets the same defaults
        schema = own.get((item["apiVersion"], item["kind"]))
        return item if schema is None else with_defaults(item, schema)

    return admit


def custom_validation(crds: Iterable[Json]) -> Admission:
    """Return the admission that refuses what the schemas of *crds* do not allow."""
    by_kind = schemas(crds)

    def judge(new: Json, old: Json | None) -> list[Problem]:
        schema = by_kind.get((new["apiVersion"], new["kind"]))
        return refused(new, old, schema) if schema else []

    return validation(judge)


def validation(judge: Callable[[Json, Json | None], list[Problem]]) -> Admission:
    """Return the admission that refuses a new object, or one that replaces a live one, for what *judge* returns."""

    def admit(item: Json, live: Json | None) -> Json:
        wrong = judge(item, live)
        if wrong:
            raise ApiError("Invalid", *(problem.about(item) for problem in wrong))
        return item

    return admit


def refused(new: Json, old: Json | None, schema: Json) -> list[Problem]:
    """Return what the *schema* of its CRD refuses of *new*, which replaces *old* if that is stored.

    What is wrong with a value that does not change is accepted. A status is written by itself.
    """
    required = [name for name in schema.get("required") or () if name not in _SYSTEM]
    own = {**_own_fields(schema), "required": required}
    value, before = (
        with_defaults({name: field for name, field in (item or {}).items() if name not in _SYSTEM}, own)
        for item in (new, old)
    )
    found = [each for each in problems(value, own) if old is None or not is_unchanged(each.path, value, before, own)]
    # As on the API server, no rule runs on an object whose structure is wrong.
    named = (_named(new, value), _named(old, before) if old else None)
    return found or list(broken_rules(*named, _without_status(schema)))


def _named(item: Json, own: Json) -> Json:
    """Return *own*, with what the CEL rules of *item* may know besides: its kind, and how it is called."""
    names = {name: value for name, value in item["metadata"].items() if name in ("name", "generateName")}
    return {**own, "apiVersion": item["apiVersion"], "kind": item["kind"], "metadata": names}


def _without_status(schema: Json) -> Json:
    fields = {name: field for name, field in (schema.get("properties") or {}).items() if name != "status"}
    return {**schema, "properties": fields}


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


def _own_fields(schema: Json) -> Json:
    return {
        "properties": {name: field for name, field in (schema.get("properties") or {}).items() if name not in _SYSTEM}
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
