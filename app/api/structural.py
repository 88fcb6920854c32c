"""Makes the structural schema of a CRD from a model's JSON schema.

An allow-list: a keyword that is not known here raises, so that a new pydantic release fails a test instead of making a
CRD that the API server refuses, or worse, quietly reads as something else.
Source: Kubernetes, "Custom resources: specifying a structural schema".
"""

from typing import Any

from pydantic import BaseModel

from app.api.model import CEL_RULES

Schema = dict[str, Any]

_KEPT = {
    "type", "description", "default", "enum", "format", "pattern", "required",
    "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "maxProperties",
    "x-kubernetes-list-type", "x-kubernetes-list-map-keys", CEL_RULES,
}  # fmt: skip
_DROPPED = {"title"}
_FORMATS = {"date-time", "int32", "int64"}


def structural(model: type[BaseModel]) -> Schema:
    """Return *model* as a structural schema; raise ValueError for what a CRD can't say."""
    schema = model.model_json_schema(by_alias=True, mode="validation")
    return _node(schema, schema.get("$defs", {}), ())


def _node(schema: Schema, defs: Schema, above: tuple[str, ...]) -> Schema:
    if "$ref" in schema:
        return _inlined(schema, defs, above)
    if "anyOf" in schema:
        return _merged_branches(schema, defs, above)
    made: Schema = {}
    for keyword, value in schema.items():
        if keyword == "properties":
            made[keyword] = {name: _node(sub, defs, above) for name, sub in value.items()}
        elif keyword in ("items", "additionalProperties"):
            made[keyword] = _node(value, defs, above)
        elif keyword == "const":
            made["enum"] = [value]
        elif keyword in _KEPT:
            made[keyword] = value
        elif keyword not in _DROPPED | {"$defs"}:
            message = f"a CRD can't say {keyword!r}"
            raise ValueError(message)
    if made.get("format", "int32") not in _FORMATS:
        message = f"a CRD ignores format {made['format']!r}"
        raise ValueError(message)
    return made


def _inlined(schema: Schema, defs: Schema, above: tuple[str, ...]) -> Schema:
    name = schema["$ref"].removeprefix("#/$defs/")
    if name in above:
        message = f"{name} contains itself, which a CRD can't say"
        raise ValueError(message)
    return _beside(_node(defs[name], defs, (*above, name)), schema, "$ref", defs, above)


def _merged_branches(schema: Schema, defs: Schema, above: tuple[str, ...]) -> Schema:
    """Fold ``X | None`` into X, and ``int | str`` into one int-or-string node."""
    branches = [_node(branch, defs, above) for branch in schema["anyOf"] if branch != {"type": "null"}]
    if len(branches) == 1:
        node = branches[0]
    elif [branch.pop("type", None) for branch in branches] == ["integer", "string"]:
        node = {"x-kubernetes-int-or-string": True, **branches[0], **branches[1]}
    else:
        message = "a CRD can't say a union other than int | str and X | None"
        raise ValueError(message)
    return _beside(node, schema, "anyOf", defs, above)


def _beside(node: Schema, schema: Schema, keyword: str, defs: Schema, above: tuple[str, ...]) -> Schema:
    """Lay the keywords that stand beside *keyword* over *node*; rules add up, and a null default is none."""
    beside = {key: value for key, value in schema.items() if key != keyword}
    if beside.get("default", ...) is None:
        del beside["default"]
    outer = _node(beside, defs, above)
    rules = [*node.get(CEL_RULES, []), *outer.get(CEL_RULES, [])]
    return {**node, **outer, **({CEL_RULES: rules} if rules else {})}
