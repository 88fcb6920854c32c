"""The kinds that every cluster serves, and their fields: a value of another type is refused, as an API server does.

The file built_in_kinds.json has them, as the OpenAPI document of a kube-apiserver declares them, without descriptions
and statuses. ``python -m toolkit.built_in_kinds`` writes it. A type in it is the name of a scalar, such as
``quantity``; ``#`` and the name of another type; or an object: ``fields`` by name, the type of the ``items`` of a list
with the ``keys`` that identify one, the type of the ``values`` of a map, an ``enum``, or ``any``.

Source of quantities: Kubernetes, k8s.io/apimachinery/pkg/api/resource, "Before serializing, Quantity will be put in
canonical form". Of times: metav1.Time and metav1.MicroTime.
"""

import functools
import math
import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, NoReturn

import msgspec

from metahook.protocol.objects import Kind
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.objects import Json

_QUANTITY = re.compile(r"[+-]?(\d{1,30}\.?\d{0,30}|\.\d{1,30})([KMGTPE]i|[mkMGTPEun]|[eE][+-]?\d{1,2})?")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)")
_MICRO_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.,]\d{6}(Z|[+-]\d\d:\d\d)")

_UNITS = {"": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_SMALL_UNITS = {"m": 3, "u": 6, "n": 9}
_FINEST = 10**9
"""The smallest amount is one billionth; less is rounded up."""
_BINARY_UNITS = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}


@functools.lru_cache
def canonical_quantity(written: int | str) -> str:
    """Return the quantity *written* in canonical form."""
    text = str(written)
    number = text.rstrip("EPTGMKikmun")
    suffix = text[len(number) :]
    if suffix in _BINARY_UNITS:
        amount = Fraction(number) * 1024 ** _BINARY_UNITS[suffix]
    elif suffix in _SMALL_UNITS:
        amount = Fraction(number) / 10 ** _SMALL_UNITS[suffix]
    else:
        amount = Fraction(number) * 10 ** _UNITS[suffix]
    amount = Fraction(math.ceil(amount * _FINEST), _FINEST)
    if suffix in _BINARY_UNITS and amount >= 1024 and amount.denominator == 1:
        sizes = {"": 1, **{unit: 1024**power for unit, power in _BINARY_UNITS.items()}}
        return _shortest(amount, {unit: Fraction(size) for unit, size in sizes.items()})
    small = {unit: Fraction(1, 10**power) for unit, power in _SMALL_UNITS.items()}
    return _shortest(amount, small | {unit: Fraction(10**power) for unit, power in _UNITS.items()})


def _shortest(amount: Fraction, units: dict[str, Fraction]) -> str:
    """Return *amount* in the largest of *units* that leaves a whole number."""
    fitting = {unit: size for unit, size in units.items() if (amount / size).denominator == 1}
    unit = max(fitting, key=lambda name: fitting[name])
    return f"{amount / fitting[unit]}{unit}" if amount else "0"


def whole_numbers(value: Any) -> Any:
    """Return *value* with each whole float as an integer, as Go writes it."""
    if isinstance(value, dict):
        return {name: inner if type(inner) is str else whole_numbers(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [whole_numbers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_whole(value: Any, limit: int = 2**63) -> bool:
    return _is_number(value) and value == int(value) and -limit <= value < limit


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _same(value: Any) -> Any:
    return value


def _base64(value: Any) -> str:
    """Return Base64 in one line and with zeros as its last bits; raise ValueError. Line breaks are no part of it."""
    text = "" if value == [] else re.sub("[\r\n]", "", value)
    return b2a_base64(a2b_base64(text, strict_mode=True), newline=False).decode()


def _utc(value: str, precision: str) -> str:
    """Return a time in UTC and without what is finer than the *precision*; raise ValueError or OverflowError."""
    time = datetime.fromisoformat(value.replace(",", "."))
    return time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec=precision) + "Z"


SCALARS: dict[str, tuple[Callable[[Any], object], str, Callable[[Any], Any]]] = {
    "boolean": (lambda value: isinstance(value, bool), "true or false", _same),
    # Go reads a list of numbers as bytes, too.
    "byte": (lambda value: value == [] or _is_text(value), "a string in base64", _base64),
    "date-time": (
        lambda value: _is_text(value) and _TIME.fullmatch(value),
        "a time in RFC 3339",
        lambda value: _utc(value, "seconds"),
    ),
    "double": (_is_number, "a number", whole_numbers),
    "int-or-string": (lambda value: _is_text(value) or _is_whole(value), "a whole number or a string", whole_numbers),
    "int32": (lambda value: _is_whole(value, 2**31), "a whole number", int),
    "int64": (_is_whole, "a whole number", int),
    "micro-time": (
        lambda value: _is_text(value) and _MICRO_TIME.fullmatch(value),
        "a time in RFC 3339 with microseconds",
        lambda value: _utc(value, "microseconds"),
    ),
    "quantity": (
        lambda value: (_is_text(value) or _is_number(value)) and _QUANTITY.fullmatch(str(value)),
        "a quantity, such as 64Mi",
        canonical_quantity,
    ),
    "string": (_is_text, "a string", _same),
}
"""Whether a value is one, what it must be, and how it is stored."""

ZEROS = {"string": "", "byte": "", "quantity": "0"}


Type = str | Json


class _Document(msgspec.Struct):
    version: str
    kinds: list[tuple[str, str, str, bool, str]]
    types: dict[str, Json]


def _document() -> _Document:
    return msgspec.json.decode(files(__package__).joinpath("built_in_kinds.json").read_bytes(), type=_Document)


_DOCUMENT = _document()

VERSION = _DOCUMENT.version
"""The version of Kubernetes that the kinds are from."""

BUILT_IN = tuple(Kind(*words[:4]) for words in _DOCUMENT.kinds)
"""The kinds, without those that a cluster only answers with, such as a SubjectAccessReview."""

_TYPES = {(api_version, kind): name for api_version, kind, _, _, name in _DOCUMENT.kinds}


def merge_keys(type_: str) -> dict[str, tuple[str, ...]]:
    """Return the fields that identify an item in a list of *type_*, such as ``core.v1.PodSpec``, by the list's name."""
    fields = _DOCUMENT.types[type_]["fields"]
    return {name: tuple(inner["keys"]) for name, inner in fields.items() if isinstance(inner, dict) and "keys" in inner}


def declared_fields(item: Json) -> Json:
    """Return *item* without fields that its kind does not declare, and with values as an API server stores them.

    Of a custom resource, only whole numbers are written otherwise. Raise ApiError for a value of another type than the
    declared one.
    """
    name = _TYPES.get((item.get("apiVersion", ""), item["kind"]))
    if name is None:
        return {field: value if field in _ELSEWHERE else whole_numbers(value) for field, value in item.items()}
    # Metadata has rules of its own, and a status that comes with an object is dropped.
    body = {field: value for field, value in item.items() if field not in _ELSEWHERE}
    read: Json = _Reader().read(body, f"#{name}", "")
    return {field: read.get(field, item[field]) for field in item if field in read or field in _ELSEWHERE}


def undeclared_field(item: Json) -> str | None:
    """Return the path of the first field of *item* that its kind does not declare; raise ApiError as above."""
    name = _TYPES.get((item.get("apiVersion", ""), item["kind"]))
    if name is None:
        return None
    body = {field: value for field, value in item.items() if field not in _ELSEWHERE}
    return next(iter(undeclared_fields(body, f"#{name}", "")), None)


def undeclared_fields(value: Any, type_: Type, path: str) -> list[str]:
    """Return the paths of the fields of *value*, at *path*, that *type_* does not declare; raise ApiError as above."""
    reader = _Reader()
    reader.read(_refuse(path, "an object") if value is None else value, type_, path)
    return reader.undeclared


_EMPTY: tuple[object, ...] = (None, "", [])
_ELSEWHERE = {"apiVersion", "kind", "metadata", "status"}


_OBJECTS = frozenset(_TYPES.values())


@cache
def _resolved(name: str) -> Json:
    found = _DOCUMENT.types[name.removeprefix("#")]
    if name.removeprefix("#") not in _OBJECTS:
        return found
    # An object within another one has metadata, such as the claims of a StatefulSet.
    return {**found, "fields": {**found["fields"], **{field: {"any": True} for field in _ELSEWHERE}}}


class _Reader:
    """Reads values by their types; ``undeclared`` has the paths of the fields that no type declares."""

    def __init__(self) -> None:
        self.undeclared: list[str] = []
        self._shapes = {"fields": self._object, "items": self._list, "values": self._map, "enum": _word, "any": _any}

    def read(self, value: Any, type_: Type, path: str) -> Any:
        """Return *value*, which is at *path*, as it is stored, without undeclared fields; raise ApiError."""
        if value is None:
            return None
        if isinstance(type_, str):
            if type_[0] != "#":
                return _scalar(value, type_, path)
            type_ = _resolved(type_)
        return self._shapes[next(iter(type_))](value, type_, path)

    def _object(self, value: Any, type_: Json, path: str) -> Json:
        entries, fields = _expect(value, dict, "an object", path), type_["fields"]
        for name in type_.get("required", ()):
            if entries.get(name) in _EMPTY:
                raise ApiError("Invalid", f"{path}.{name}: Required value".removeprefix("."))
        self.undeclared += [f"{path}.{name}" for name in entries if name not in fields]
        read = {
            # Most values are texts, and a call costs more than the look at the type.
            name: inner
            if type(inner) is str and fields[name] == "string"
            else self.read(inner, fields[name], f"{path}.{name}")
            for name, inner in entries.items()
            if name in fields
        }
        # In Go, an empty list or map is the same as none, and so are no bytes.
        return {name: inner for name, inner in read.items() if inner or not _is_none_if_empty(fields[name])}

    def _list(self, value: Any, type_: Json, path: str) -> list[Any]:
        items, inner = _expect(value, list, "a list", path), type_["items"]
        # In Go, an object that is null in a list is one without fields.
        zero: Json | None = None if isinstance(inner, str) and inner[0] != "#" else {}
        return [
            self.read(zero if item is None else item, inner, f"{path}[{index}]") for index, item in enumerate(items)
        ]

    def _map(self, value: Any, type_: Json, path: str) -> Json:
        entries, inner_type = _expect(value, dict, "an object", path), type_["values"]
        # In Go, a text that is null in a map is an empty one.
        zero = ZEROS.get(inner_type) if isinstance(inner_type, str) else None
        return {
            name: inner
            if type(inner) is str and inner_type == "string"
            else self.read(zero if inner is None else inner, inner_type, f"{path}.{name}")
            for name, inner in entries.items()
        }


def _is_none_if_empty(type_: Type) -> bool:
    return type_ == "byte" or (isinstance(type_, dict) and ("items" in type_ or "values" in type_))


def _scalar(value: Any, type_: str, path: str) -> Any:
    fits, words, stored = SCALARS[type_]
    try:
        return stored(value) if fits(value) else _refuse(path, words)
    except (ValueError, OverflowError):
        _refuse(path, words)


def _any(value: Any, _: Json, __: str) -> Any:
    return whole_numbers(value)


def _word(value: Any, type_: Json, path: str) -> Any:
    words = type_["enum"]
    return value if value in words or value == "" else _refuse(path, f"one of {', '.join(words)}")


def _expect(value: Any, type_: type, words: str, path: str) -> Any:
    return value if isinstance(value, type_) else _refuse(path, words)


def _refuse(path: str, words: str) -> NoReturn:
    raise ApiError("Invalid", f"{path.removeprefix('.')}: must be {words}")


DEEPEST = 64
"""Levels of objects and lists; no Kubernetes object has half as many."""

_JSON_TYPES = {dict, list, str, bool, int, float, type(None)}
_SURROGATES = re.compile("[\ud800-\udfff]")

STRINGS: Json = {"items": "string"}
LABELS: Json = {"values": "string"}
_OBJECT: Json = {
    "fields": {"apiVersion": "string", "kind": "string", "metadata": "#apis.meta.v1.ObjectMeta"},
    "required": ["apiVersion", "kind", "metadata"],
}
_CONDITION: Json = {
    "fields": {"type": "string", "status": "string", "reason": "string", "message": "string"},
    "required": ["type"],
}
_STATUS: Json = {"fields": {"conditions": {"items": _CONDITION}}}


def check_object(item: Json) -> None:
    """Raise ApiError if *item*, which is JSON, is not a Kubernetes object with metadata of the right types."""
    undeclared_fields(item, _OBJECT, "")


def check_status(status: Any) -> None:
    """Raise ApiError if *status* does not have the types of a status."""
    undeclared_fields(status, _STATUS, "status")


def check_json(item: Json) -> None:
    """Raise ApiError if *item*, which a user wrote, can't be sent as JSON."""
    why = json_problem(item)
    if why is not None:
        raise ApiError("BadRequest", f"the object {why}")


def json_problem(value: Any) -> str | None:
    """Return why *value* is not JSON, or nested too deeply; None if it is fine."""
    level = [value]
    for _ in range(DEEPEST):
        if not _is_json(level):
            return "is not JSON"
        level = [inner for outer in level for inner in nested_values(outer)]
        if not level:
            return None
    return f"is nested more than {DEEPEST} deep"


def nested_values(value: Any) -> Iterator[Any]:
    """Yield the values of a map, or the items of a list."""
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _is_json(level: list[Any]) -> bool:
    """Tell whether all values of a *level* have JSON types, and all their text can be encoded."""
    names = [name for inner in level if type(inner) is dict for name in inner]
    if not (_JSON_TYPES.issuperset(map(type, level)) and all(type(name) is str for name in names)):
        return False
    joined = "".join([*names, *(inner for inner in level if type(inner) is str)])
    numbers = (inner for inner in level if type(inner) is float)
    return (joined.isascii() or not _SURROGATES.search(joined)) and all(map(math.isfinite, numbers))
