"""Strategies for the values of a structural schema."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from hypothesis import strategies as st

from metahook.simulator.apiserver.custom_rules import Schema, fits
from metahook.testing.strings import TEXT, strings

_MORE = 4
"""Items or fields more than the schema demands."""

_INT64, _INT32 = 2**63 - 1, 2**31 - 1
_BRANCHES = ("allOf", "anyOf", "oneOf", "not")

_KEYS = st.text("abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_./", min_size=1, max_size=12)
_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-_INT64, _INT64) | st.text(TEXT, max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_KEYS, inner, max_size=2),
    max_leaves=4,
)
_EMBEDDED = st.fixed_dictionaries(
    {
        "apiVersion": st.just("v1"),
        "kind": st.just("ConfigMap"),
        "metadata": st.fixed_dictionaries({"name": st.from_regex("[a-z]{1,8}", fullmatch=True)}),
    }
)


def values(schema: Schema, path: str) -> st.SearchStrategy[Any]:
    """Return the strategy for the values of *schema*, which is at *path*; raise NotGenerated."""
    found = _of_branches(schema, path) if any(name in schema for name in _BRANCHES) else _of_type(schema, path)
    return st.none() | found if schema.get("nullable") and "enum" not in schema else found


def _of_branches(schema: Schema, path: str) -> st.SearchStrategy[Any]:
    """Return the strategy for values that meet *schema* with one of its branches, and the rest of its rules."""
    plain = {name: value for name, value in schema.items() if name not in _BRANCHES}
    for each in schema.get("allOf") or ():
        plain = _merged(plain, each)
    branches = [plain]
    for choice in ("anyOf", "oneOf"):
        branches = [_merged(one, each) for one in branches for each in schema.get(choice) or [{}]]
    return st.one_of([values(each, path) for each in branches]).filter(lambda value: fits(value, schema))


def _merged(schema: Schema, branch: Schema) -> Schema:
    """Return *schema* with the rules of *branch*, in which no type and no field is new."""
    merged = {**schema, **branch}
    if "required" in branch:
        merged["required"] = [*schema.get("required", ()), *branch["required"]]
    if "properties" in branch:
        fields = schema.get("properties") or {}
        inner = {name: _merged(fields.get(name, {}), each) for name, each in branch["properties"].items()}
        merged["properties"] = {**fields, **inner}
    if "items" in branch:
        merged["items"] = _merged(schema.get("items") or {}, branch["items"])
    return merged


def _of_type(schema: Schema, path: str) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from([value for value in schema["enum"] if value is not None])  # no API server accepts that
    if schema.get("x-kubernetes-int-or-string") and "type" not in schema:
        return _integers(schema, path) | strings(schema, path)
    # An API server drops the null of a field that is not nullable.
    return (
        _BY_TYPE[schema["type"]](schema, path)
        if "type" in schema
        else _ANYTHING.filter(lambda value: value is not None)
    )


def _objects(schema: Schema, path: str) -> st.SearchStrategy[dict[str, Any]]:
    if isinstance(others := schema.get("additionalProperties"), dict):
        return st.dictionaries(
            _KEYS, values(others, f"{path}.*"), min_size=(least := schema.get("minProperties", 0)),
            max_size=min(schema.get("maxProperties", least + _MORE), least + _MORE),
        )  # fmt: skip
    declared, required = schema.get("properties") or {}, schema.get("required") or ()
    fields = {name: values(field, f"{path}.{name}") for name, field in declared.items()}
    needed = {name: fields.get(name, _ANYTHING) for name in required if "default" not in declared.get(name, {})}
    found: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
        needed, optional={name: field for name, field in fields.items() if name not in needed}
    )
    if schema.get("x-kubernetes-preserve-unknown-fields") or others is True:
        unknown = st.dictionaries(_KEYS.filter(lambda key: key not in fields), _ANYTHING, max_size=2)
        found = st.builds(lambda more, known: {**more, **known}, unknown, found)
    if schema.get("x-kubernetes-embedded-resource"):
        found = st.builds(lambda known, head: {**known, **head}, found, _EMBEDDED)
    if "minProperties" in schema or "maxProperties" in schema:
        found = found.filter(lambda value: fits(value, schema))
    return found


def _lists(schema: Schema, path: str) -> st.SearchStrategy[list[Any]]:
    items, least = schema.get("items") or {}, schema.get("minItems", 0)
    size = {"min_size": least, "max_size": min(schema.get("maxItems", least + _MORE), least + _MORE)}
    found = values(items, f"{path}[]")
    match schema.get("x-kubernetes-list-type"):
        case "set":
            return st.lists(found, unique_by=repr, **size)
        case "map":
            return st.lists(found, unique_by=partial(_keys, schema["x-kubernetes-list-map-keys"], items), **size)
    return st.lists(found, **size)


def _keys(names: list[str], items: Schema, item: dict[str, Any]) -> tuple[str, ...]:
    """Return the values of *item* by which it differs from the others in its list."""
    fields = items.get("properties") or {}
    return tuple(repr(item.get(name, fields.get(name, {}).get("default"))) for name in names)


def _integers(schema: Schema, path: str) -> st.SearchStrategy[int]:
    del path
    limit = _INT32 if schema.get("format") == "int32" else _INT64
    least, most = math.ceil(schema.get("minimum", -limit)), math.floor(schema.get("maximum", limit))
    step = schema.get("multipleOf") or 1
    found = st.integers(math.ceil(least / step), math.floor(most / step)) if step != 1 else st.integers(least, most)
    return found.map(lambda count: int(count * step)).filter(lambda value: fits(value, {**schema, "type": "integer"}))


def _numbers(schema: Schema, path: str) -> st.SearchStrategy[float]:
    del path
    least, most = schema.get("minimum"), schema.get("maximum")
    if step := schema.get("multipleOf"):
        low = None if least is None else math.ceil(least / step)
        high = None if most is None else math.floor(most / step)
        found: st.SearchStrategy[float] = st.integers(low, high).map(lambda count: count * step)
    else:
        found = st.floats(least, most, allow_nan=False, allow_infinity=False, allow_subnormal=False)
    return found.filter(lambda value: fits(value, schema))


def _booleans(schema: Schema, path: str) -> st.SearchStrategy[bool]:
    del schema, path
    return st.booleans()


_BY_TYPE: dict[str, Callable[[Schema, str], st.SearchStrategy[Any]]] = {
    "object": _objects,
    "array": _lists,
    "string": strings,
    "integer": _integers,
    "number": _numbers,
    "boolean": _booleans,
}
