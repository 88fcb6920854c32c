"""The rules of custom resources, from the schemas of their CRDs: what an API server refuses, drops and sets by default.

Source: Kubernetes 1.36, kube-openapi, pkg/validation/validate and strfmt; apiextensions-apiserver,
pkg/apiserver/schema/pruning, pkg/apiserver/schema/defaulting and pkg/apiserver/validation/ratcheting.go.
"""

import difflib
import ipaddress
import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import cache
from typing import Any, NamedTuple

from metahook.simulator.apiserver.store import Admission, StatusAdmission
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.objects import Json, copy_json


def matches(text: str, pattern: str) -> bool:
    """Tell whether *text* has a part that *pattern*, of RE2, matches."""
    try:
        return re.search(python_pattern(pattern), text, re.ASCII) is not None
    except re.error:
        return True  # Python can't read it, RE2 may


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


def _is_date_time(text: str) -> bool:
    parts = re.fullmatch(
        r"(.{10})T(\d{2}):(\d{2}):(\d{2})([.,]\d+)?(Z|[+-]\d{2}:\d{2})", text, re.ASCII | re.IGNORECASE
    )
    return parts is not None and _is_date(parts[1]) and parts[2] < "24" and parts[3] < "60" and parts[4] < "60"


def _is_date(text: str) -> bool:
    return re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII) is not None and _reads(date.fromisoformat, text)


def _reads(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


def _format(pattern: str) -> Callable[[str], bool]:
    return lambda text: re.fullmatch(pattern, text, re.ASCII | re.IGNORECASE) is not None


_DURATION = r"\d+(\.\d*)?|\.\d+"
FORMATS: dict[str, tuple[str, Callable[[str], bool]]] = {
    "byte": ("aGk=", _format("([a-z0-9+/]{4})*([a-z0-9+/]{2}==|[a-z0-9+/]{3}=|[a-z0-9+/]{4})")),
    "cidr": ("10.0.0.0/8", lambda text: "/" in text and _reads(ipaddress.ip_interface, text)),
    "date": ("2026-01-31", _is_date),
    "date-time": ("2026-01-31T12:00:00Z", _is_date_time),
    "datetime": ("2026-01-31T12:00:00Z", _is_date_time),
    "duration": ("1h30m", _format(rf"[+-]?(0|(({_DURATION})(ns|us|µs|μs|ms|s|m|h))+|\d+ *[a-zµ]+)")),
    "ipv4": ("192.0.2.1", lambda text: _reads(ipaddress.IPv4Address, text)),
    "ipv6": ("2001:db8::1", lambda text: _reads(ipaddress.IPv6Address, text)),
    "mac": ("00:00:5e:00:53:01", _format("([0-9a-f]{2}[:-]){5}[0-9a-f]{2}|([0-9a-f]{4}[.]){2}[0-9a-f]{4}")),
    "uuid": ("00000000-0000-0000-0000-000000000000", _format("[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}")),
}
"""The formats of strings that are checked, each with an example. An empty string fits none of them."""


Schema = dict[str, Any]
Path = tuple[str | int, ...]

KEEPS_ALL = "x-kubernetes-preserve-unknown-fields"

CEL = "x-kubernetes-validations"

LIST_KEYS = "x-kubernetes-list-map-keys"

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


MOST_SHOWN = 60
"""Characters of a value in a message."""


REQUIRED = "is required"
_UNKNOWN, _DUPLICATE = "unknown field; ", "Duplicate value: "
_WITHOUT_VALUE = (_UNKNOWN, _DUPLICATE)


class Problem(NamedTuple):
    """What is refused at *path*."""

    path: Path
    text: str

    def __str__(self) -> str:
        return f"{written(self.path)} {self.text}"

    def about(self, item: Any) -> str:
        """Return the problem with the value in *item*, as kubectl shows it, if that is a short one and is wrong."""
        place, value = written(self.path), value_at(item, self.path)
        if self.text == REQUIRED:
            return str(self)
        if value is None or isinstance(value, dict | list) or self.text.startswith(_WITHOUT_VALUE):
            return f"{place}: {self.text}".removeprefix(": ")
        shown = json.dumps(value, ensure_ascii=False)
        return f"{place}: Invalid value: {shown[:MOST_SHOWN]}{'...' if shown[MOST_SHOWN:] else ''}: {self.text}"


class HookProblem(Problem):
    """What the hook refuses, and the API server stores."""


def written(path: Path) -> str:
    """Return *path* as in ``spec.children[0].name``."""
    steps = (f"[{step}]" if isinstance(step, int) or "." in step else f".{step}" for step in path)
    return "".join(steps).removeprefix(".")


def value_at(item: Any, path: Path) -> Any:
    for step in path:
        try:
            item = item[step]
        except (IndexError, KeyError, TypeError):
            return None
    return item


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
            if "pattern" in schema and not matches(value, schema["pattern"]):
                yield Problem(path, f"must match {schema['pattern']}")
            example, fits_format = FORMATS.get(schema.get("format", ""), ("", None))
            if fits_format and not fits_format(value):
                yield Problem(path, f"must be of the format {schema['format']}, such as {example}")
        case int() | float():
            yield from _number(value, schema, path)
        case list():
            yield from _bounds(len(value), schema, "Items", path)
            for index, item in enumerate(value):
                yield from problems(item, schema.get("items") or {}, (*path, index))
            yield from _repeated(value, schema, path)
        case _:
            yield from _object(value, schema, path)


def _repeated(items: list[Any], schema: Schema, path: Path) -> Iterator[Problem]:
    """Yield the items that have the key of an earlier one, or are the same as one in a set."""
    seen: list[Any] = []
    keys = [identity(item, schema) for item in items]
    for index, key in enumerate(keys):
        if key is not None and key in seen:
            words = " and ".join(schema.get(LIST_KEYS) or ())
            yield Problem((*path, index), f"{_DUPLICATE}an earlier item has the same {words or 'value'}")
        seen.append(key)


def identity(item: Any, schema: Schema) -> Any:
    """Return what no other item of a list with *schema* may have; None if it may have it, too."""
    match schema.get("x-kubernetes-list-type"):
        case "set":
            return json.dumps(item, sort_keys=True)
        case "map" if isinstance(item, dict):
            fields = (schema.get("items") or {}).get("properties") or {}
            return [item.get(key, fields.get(key, {}).get("default")) for key in schema.get(LIST_KEYS) or ()]
    return None


def _bounds(count: int, schema: Schema, what: str, path: Path) -> Iterator[Problem]:
    least, most = schema.get(f"min{what}", 0), schema.get(f"max{what}")
    if count < least or (most is not None and count > most):
        bound = f"at least {least}" if count < least else f"at most {most}"
        yield Problem(path, f"must have {bound} {_COUNTED[what]}")


_COUNTED = {"Length": "characters", "Items": "items", "Properties": "fields"}


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
            yield Problem((*path, name), REQUIRED)
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


def unknown_fields(value: Any, schema: Schema, path: Path = ()) -> Iterator[Problem]:
    """Yield the fields that :func:`dropped` does, each with the field that it may have been meant to be."""
    for found in dropped(value, schema, path):
        fields = _below(schema, found[len(path) : -1]).get("properties") or {}
        yield unknown_field(found, fields)


def unknown_field(path: Path, fields: Iterable[str]) -> Problem:
    """Return the problem of a field at *path* that is none of *fields*, with the one that it may be meant to be."""
    close = difflib.get_close_matches(str(path[-1]), fields, n=1)
    return Problem(path, _UNKNOWN + (f"did you mean {close[0]}?" if close else "remove it"))


def _below(schema: Schema, path: Path) -> Schema:
    for step in path:
        others = schema.get("additionalProperties")
        rest = others if isinstance(others, dict) else {}
        inner = schema.get("items") if isinstance(step, int) else (schema.get("properties") or {}).get(step, rest)
        schema = inner or {}
    return schema


def is_unchanged(path: Path, new: Any, old: Any, schema: Schema) -> bool:
    """Tell whether the value at *path*, or one that it is in, is the same in *new* and *old*, which have *schema*.

    The API server accepts what is wrong with such a value: an update does not change it.
    """
    for depth, step in enumerate(path):
        if new == old:
            return True
        if isinstance(new, list) and isinstance(step, int) and step < len(new):
            key = identity(new[step], _below(schema, path[:depth]))
            old = next((item for item in old if key and identity(item, _below(schema, path[:depth])) == key), None)
        elif not isinstance(new, dict) or step not in new:
            return False  # it is missing, which is wrong with what it is not in
        else:
            old = old.get(step)
        new = new[step]
        if not isinstance(old, type(new)):
            return False
    return bool(new == old)


def declared(value: Any, schema: Schema) -> Any:
    if isinstance(value, list):
        return [declared(item, schema.get("items") or {KEEPS_ALL: True}) for item in value]
    if not isinstance(value, dict) or schema.get("x-kubernetes-embedded-resource"):
        return value
    fields, others = schema.get("properties") or {}, schema.get("additionalProperties")
    rest = others if isinstance(others, dict) else {KEEPS_ALL: True} if others or schema.get(KEEPS_ALL) else None
    below = {name: fields.get(name, rest) for name in value}
    return {name: declared(value[name], schema) for name, schema in below.items() if schema is not None}


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
    return "default" in field and (name not in value or (value[name] is None and not field.get("nullable")))


def _copy(value: Any) -> Any:
    return copy_json(value) if isinstance(value, dict | list) else value
