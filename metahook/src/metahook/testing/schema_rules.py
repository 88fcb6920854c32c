"""The rules of a structural schema, for values that a strategy can't always make right: they are filtered.

Source: Kubernetes 1.36, kube-openapi, pkg/validation/validate. A rule says nothing of values of another type.
"""

import re
from typing import Any

Schema = dict[str, Any]

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


def fits(value: Any, schema: Schema) -> bool:  # noqa: ANN401 - JSON
    """Tell whether *value* meets the rules of *schema*, and those of the values in it."""
    if "enum" in schema and (value is None or value not in schema["enum"]):
        return False
    if value is None and schema.get("nullable"):
        return True
    return _has_type(value, schema) and _rules_of_type(value, schema) and _branches(value, schema)


def _has_type(value: Any, schema: Schema) -> bool:  # noqa: ANN401 - JSON
    type_ = schema.get("type")
    if type_ is None:
        return True
    return isinstance(value, _TYPES[type_]) and (type_ == "boolean" or not isinstance(value, bool))


def _rules_of_type(value: Any, schema: Schema) -> bool:  # noqa: ANN401 - JSON
    match value:
        case bool() | None:
            return True
        case str():
            return _in_bounds(len(value), schema, "Length") and _matches(value, schema.get("pattern"))
        case int() | float():
            return _number_fits(value, schema)
        case list():
            items = schema.get("items") or {}
            return _in_bounds(len(value), schema, "Items") and all(fits(item, items) for item in value)
    return _object_fits(value, schema)


def _in_bounds(count: int, schema: Schema, what: str) -> bool:
    least, most = schema.get(f"min{what}", 0), schema.get(f"max{what}")
    return bool(least <= count and (most is None or count <= most))


def _matches(text: str, pattern: str | None) -> bool:
    return pattern is None or re.search(python_pattern(pattern), text, re.ASCII) is not None


def python_pattern(pattern: str) -> str:
    """Return *pattern*, of RE2, as Python says it: characters by number, classes by name, and the end of the text."""
    named = re.sub(r"\\x\{([0-9A-Fa-f]+)\}|\[:(\w+):\]|\\.", _character, pattern, flags=re.DOTALL)
    return re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", _token, named, flags=re.DOTALL)


_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "digit": "0-9",
    "lower": "a-z",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": r"\w",
    "xdigit": "0-9A-Fa-f",
}


def _character(found: re.Match[str]) -> str:
    if found[1]:
        return f"\\U{int(found[1], 16):08x}"
    return _CLASSES.get(found[2], found[0]) if found[2] else found[0]


def _token(found: re.Match[str]) -> str:
    r"""Return what a token is in RE2: ``$`` is the end of the text alone, and ``\s`` no vertical tab."""
    text = found[0]
    return text.replace(r"\s", _SPACE) if text[0] == "[" else _TOKENS.get(text, text)


_SPACE = r"\t\n\f\r "
_TOKENS = {"$": r"\Z", r"\z": r"\Z", r"\s": f"[{_SPACE}]", r"\S": f"[^{_SPACE}]"}


def _number_fits(value: float, schema: Schema) -> bool:
    least, most, multiple = schema.get("minimum"), schema.get("maximum"), schema.get("multipleOf")
    if least is not None and (value < least or (value == least and schema.get("exclusiveMinimum"))):
        return False
    if most is not None and (value > most or (value == most and schema.get("exclusiveMaximum"))):
        return False
    return multiple is None or value % multiple == 0


def _object_fits(value: dict[str, Any], schema: Schema) -> bool:
    fields, others = schema.get("properties") or {}, schema.get("additionalProperties")
    rest = others if isinstance(others, dict) else {}
    return (
        _in_bounds(len(value), schema, "Properties")
        and all(name in value or "default" in fields.get(name, {}) for name in schema.get("required") or ())
        and all(fits(inner, fields.get(name, rest)) for name, inner in value.items())
    )


def _branches(value: Any, schema: Schema) -> bool:  # noqa: ANN401 - JSON
    return (
        all(fits(value, branch) for branch in schema.get("allOf") or ())
        and ("anyOf" not in schema or any(fits(value, branch) for branch in schema["anyOf"]))
        and ("oneOf" not in schema or sum(fits(value, branch) for branch in schema["oneOf"]) == 1)
        and ("not" not in schema or not fits(value, schema["not"]))
    )
