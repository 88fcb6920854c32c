"""What the API server refuses of a MyResource in a file, what it drops of one, and what the hook refuses."""

from functools import cache

import msgspec

from app import Json
from app.api import reading
from app.api.crd import Schema, schema
from metahook.commands import custom_rules, with_defaults

Problem = custom_rules.Problem

_JUDGED = ("metadata", "spec")


def problems(parent: Json, old: Json | None = None) -> list[Problem]:
    """Return all that is wrong with *parent*, a MyResource that is new, or that replaces the stored *old*.

    The API server accepts what is wrong in *old*, too. Its names other than ``metadata.name`` are those of any object.
    """
    judged, stored = (with_defaults(_judged(item), known_fields()) for item in (parent, old or {}))
    encoded = [msgspec.json.encode(item.get("spec")) for item in (judged, stored)]
    by_rule = [
        (custom_rules.HookProblem if found.is_stored else Problem)(found.path, found.message)
        for found in reading.problems(parent["metadata"]["name"], *encoded[: 2 if old else 1])
    ]
    # A rule says in words what a pattern of the schema says, too.
    named = {problem.path for problem in by_rule}
    by_schema = [
        each
        for each in custom_rules.problems(judged, known_fields())
        if each.path not in named and not (isinstance(each.path[-1], int) and each.path[:-1] in named)
    ]
    wrong = [
        each
        for each in (*by_rule, *by_schema)
        if not (old and custom_rules.is_unchanged(each.path, judged, stored, known_fields()))
    ]
    # Users do not write the status.
    written = {name: value for name, value in parent.items() if name not in ("metadata", "status")}
    return [*custom_rules.unknown_fields(written, known_fields()), *wrong]


@cache
def known_fields() -> Schema:
    """Return the schema of a MyResource, cached: building it takes longer than checking a MyResource."""
    return {**schema(), "required": list(_JUDGED)}


def _judged(item: Json) -> Json:
    return {name: item[name] for name in _JUDGED if name in item}
