"""The kinds that every cluster serves, and their fields: a value of another type is refused, as an API server does.

The file built_in_kinds.json has them, as the OpenAPI document of a kube-apiserver declares them, without descriptions
and statuses. ``python -m toolkit.built_in_kinds`` writes it. A type in it is the name of a scalar, such as
``quantity``; ``#`` and the name of another type; or an object: ``fields`` by name, the type of the ``items`` of a list
with the ``keys`` that identify one, the type of the ``values`` of a map, an ``enum``, or ``any``.
"""

from functools import cache
from importlib.resources import files
from typing import Any, NoReturn

import msgspec

from metahook.protocol.objects import Kind
from metahook.simulator.apiserver.scalars import SCALARS, ZEROS, whole_numbers
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.objects import Json

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
