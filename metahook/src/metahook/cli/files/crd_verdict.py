"""The verdict of an API server on a custom resource by the CRD of its kind: a new object, or an update of a stored one.

Source: Kubernetes 1.36, apiextensions-apiserver, pkg/apiserver/validation/ratcheting.go, and pkg/apiserver/schema/cel.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from metahook.protocol.objects import Json
from metahook.simulator.apiserver.custom_rules import (
    CEL,
    SYSTEM,
    Path,
    Problem,
    Schema,
    identity,
    is_unchanged,
    own_fields,
    problems,
    schemas,
    validation,
    with_defaults,
)
from metahook.simulator.apiserver.store import Admission


def custom_validation(crds: Iterable[Json]) -> Admission:
    """Return the admission that refuses what the schemas of *crds* do not allow."""
    by_kind = schemas(crds)

    def judge(new: Json, old: Json | None) -> list[Problem]:
        schema = by_kind.get((new["apiVersion"], new["kind"]))
        return refused(new, old, schema) if schema else []

    return validation(judge)


def refused(new: Json, old: Json | None, schema: Json) -> list[Problem]:
    """Return what the *schema* of its CRD refuses of *new*, which replaces *old* if that is stored.

    What is wrong with a value that does not change is accepted. A status is written by itself.
    """
    required = [name for name in schema.get("required") or () if name not in SYSTEM]
    own = {**own_fields(schema), "required": required}
    value, before = (
        with_defaults({name: field for name, field in (item or {}).items() if name not in SYSTEM}, own)
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


def broken_rules(value: Any, old: Any, schema: Schema, path: Path = ()) -> Iterator[Problem]:
    """Yield the CEL rules of *schema* that *value*, at *path*, breaks. It replaces *old*; that may be None.

    A rule of a value that does not change is not checked, unless it is about changes. One that can't be evaluated here
    counts as kept; :func:`unknown_rules` has these.
    """
    if CEL in schema:
        from metahook.cli.files import cel  # noqa: PLC0415 - few schemas have rules, and it takes time

        now, before = cel.cel_value(value, schema), cel.cel_value(old, schema)
        for rule in schema[CEL]:
            is_due = old is not None if "oldSelf" in rule["rule"] else old is None or value != old
            if is_due and not cel.unknown_part(rule["rule"]) and not cel.evaluates(rule["rule"], now, before):
                said = cel.evaluates(rule["messageExpression"], now, before) if "messageExpression" in rule else ""
                yield Problem(path, said or rule.get("message") or f"must keep the rule: {rule['rule']}")
    if isinstance(value, list):
        keys = {str(key): item for item in old or () if (key := identity(item, schema)) is not None}
        for index, item in enumerate(value):
            same = item if value == old else keys.get(str(identity(item, schema)))
            yield from broken_rules(item, same, schema.get("items") or {}, (*path, index))
    elif isinstance(value, dict):
        fields, others = schema.get("properties") or {}, schema.get("additionalProperties")
        for name, inner in value.items():
            below = fields.get(name, others if isinstance(others, dict) else {})
            yield from broken_rules(inner, (old or {}).get(name), below, (*path, name))


def unknown_rules(schema: Schema) -> Iterator[str]:
    """Yield what of the CEL rules in *schema* can't be evaluated here: a function, or a rule."""
    if CEL in schema:
        from metahook.cli.files import cel  # noqa: PLC0415 - as above

        yield from filter(None, (cel.unknown_part(rule["rule"]) for rule in schema[CEL]))
    for inner in (*(schema.get("properties") or {}).values(), schema.get("additionalProperties"), schema.get("items")):
        if isinstance(inner, dict):
            yield from unknown_rules(inner)
