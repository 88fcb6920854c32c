"""The rules of custom resources, from the schemas of their CRDs: what an API server refuses, and what it drops.

CEL rules and formats are not checked.

Source: Kubernetes 1.36, kube-openapi, pkg/validation/validate; apiextensions-apiserver, pkg/apiserver/schema/pruning.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

Schema = dict[str, Any]
Path = tuple[str | int, ...]

KEEPS_ALL = "x-kubernetes-preserve-unknown-fields"

CEL = "x-kubernetes-validations"

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


class Problem(NamedTuple):
    """What a schema refuses at *path*."""

    path: Path
    text: str

    def __str__(self) -> str:
        return f"{written(self.path)} {self.text}"


def written(path: Path) -> str:
    """Return *path* as in ``spec.children[0].name``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def schemas(crds: Iterable[Any]) -> dict[tuple[str, str], Schema]:
    """Return the schema of each version of *crds* by API version and kind; an empty one if it has none."""
    specs = [crd["spec"] for crd in crds]
    return {
        (f"{spec['group']}/{version['name']}", spec["names"]["kind"]): _schema(version)
        for spec in specs
        for version in spec["versions"]
    }


def _schema(version: dict[str, Any]) -> Schema:
    return (version.get("schema") or {}).get("openAPIV3Schema") or {}


def fits(value: Any, schema: Schema) -> bool:
    """Tell whether *value* meets the rules of *schema*, and those of the values in it."""
    return next(problems(value, schema), None) is None


def problems(value: Any, schema: Schema, path: Path = ()) -> Iterator[Problem]:
    """Yield what *schema* refuses in *value*, at *path*. A rule says nothing of values of another type."""
    if "enum" in schema and (value is None or value not in schema["enum"]):
        yield Problem(path, f"must be one of {', '.join(map(str, schema['enum']))}")
    elif value is None and schema.get("nullable"):
        return
    elif not _has_type(value, schema):
        yield Problem(path, f"must be of type {schema.get('type', 'integer or string')}")
    else:
        yield from _problems_of_type(value, schema, path)
        yield from _branches(value, schema, path)


def _has_type(value: Any, schema: Schema) -> bool:
    type_ = schema.get("type")
    if type_ is None:
        return not schema.get("x-kubernetes-int-or-string") or type(value) in (int, str)
    if isinstance(value, float) and value.is_integer() and type_ == "integer":
        return True
    return isinstance(value, _TYPES[type_]) and (type_ == "boolean" or not isinstance(value, bool))


def _problems_of_type(value: Any, schema: Schema, path: Path) -> Iterator[Problem]:
    match value:
        case bool() | None:
            return
        case str():
            yield from _bounds(len(value), schema, "Length", path)
            if "pattern" in schema and not _matches(value, schema["pattern"]):
                yield Problem(path, f"must match {schema['pattern']}")
        case int() | float():
            yield from _number(value, schema, path)
        case list():
            yield from _bounds(len(value), schema, "Items", path)
            for index, item in enumerate(value):
                yield from problems(item, schema.get("items") or {}, (*path, index))
        case _:
            yield from _object(value, schema, path)


def _bounds(count: int, schema: Schema, what: str, path: Path) -> Iterator[Problem]:
    least, most = schema.get(f"min{what}", 0), schema.get(f"max{what}")
    if count < least or (most is not None and count > most):
        bound = f"at least {least}" if count < least else f"at most {most}"
        yield Problem(path, f"must have {bound} {_COUNTED[what]}")


_COUNTED = {"Length": "characters", "Items": "items", "Properties": "fields"}


def _matches(text: str, pattern: str) -> bool:
    try:
        return re.search(python_pattern(pattern), text, re.ASCII) is not None
    except re.error:
        return True  # Python can't read it, RE2 may


def _number(value: float, schema: Schema, path: Path) -> Iterator[Problem]:
    least, most, multiple = schema.get("minimum"), schema.get("maximum"), schema.get("multipleOf")
    if least is not None and (value < least or (value == least and schema.get("exclusiveMinimum"))):
        yield Problem(path, f"must be {'more than' if schema.get('exclusiveMinimum') else 'at least'} {least}")
    if most is not None and (value > most or (value == most and schema.get("exclusiveMaximum"))):
        yield Problem(path, f"must be {'less than' if schema.get('exclusiveMaximum') else 'at most'} {most}")
    if multiple is not None and value % multiple:
        yield Problem(path, f"must be a multiple of {multiple}")


def _object(value: dict[str, Any], schema: Schema, path: Path) -> Iterator[Problem]:
    fields, others = schema.get("properties") or {}, schema.get("additionalProperties")
    rest = others if isinstance(others, dict) else {}
    yield from _bounds(len(value), schema, "Properties", path)
    # A null is dropped where it is not allowed.
    kept = {name: inner for name, inner in value.items() if inner is not None or fields.get(name, rest).get("nullable")}
    for name in schema.get("required") or ():
        if name not in kept and "default" not in fields.get(name, {}):
            yield Problem((*path, name), "is required")
    for name, inner in kept.items():
        yield from problems(inner, fields.get(name, rest), (*path, name))


def _branches(value: Any, schema: Schema, path: Path) -> Iterator[Problem]:
    for branch in schema.get("allOf") or ():
        yield from problems(value, branch, path)
    fitting = {word: sum(fits(value, branch) for branch in schema.get(word) or ()) for word in ("anyOf", "oneOf")}
    if "anyOf" in schema and not fitting["anyOf"]:
        yield Problem(path, "must meet one of the rules of anyOf")
    if "oneOf" in schema and fitting["oneOf"] != 1:
        yield Problem(path, "must meet just one of the rules of oneOf")
    if "not" in schema and fits(value, schema["not"]):
        yield Problem(path, "must not meet the rules of not")


def dropped(value: Any, schema: Schema, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of the fields of *value*, at *path*, that its *schema* does not declare."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from dropped(item, schema.get("items") or {KEEPS_ALL: True}, (*path, index))
    if not isinstance(value, dict) or schema.get("x-kubernetes-embedded-resource"):
        return
    fields, others = schema.get("properties") or {}, schema.get("additionalProperties")
    for name, inner in value.items():
        below = fields.get(name, others if isinstance(others, dict) else None)
        if below is not None:
            yield from dropped(inner, below, (*path, name))
        elif not others and not schema.get(KEEPS_ALL):
            yield (*path, name)


def declared(value: Any, schema: Schema) -> Any:
    """Return *value* without the fields that its *schema* does not declare."""
    if isinstance(value, list):
        return [declared(item, schema.get("items") or {KEEPS_ALL: True}) for item in value]
    if not isinstance(value, dict) or schema.get("x-kubernetes-embedded-resource"):
        return value
    fields, others = schema.get("properties") or {}, schema.get("additionalProperties")
    rest = others if isinstance(others, dict) else {KEEPS_ALL: True} if others or schema.get(KEEPS_ALL) else None
    below = {name: fields.get(name, rest) for name in value}
    return {name: declared(value[name], schema) for name, schema in below.items() if schema is not None}


@cache
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
