"""Reads JSON as a type, or tells which rule of the type it breaks.

The rules are in words of our own, not of msgspec: they are the responses with status 400, which Metacontroller copies
into Events and logs. So a rule holds nothing of the request. It names only fields that a struct declares, and groups
that a controller declares; ``[*]`` stands for any key and any index.
"""

from collections.abc import Iterator
from enum import Enum
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_origin

import msgspec

T = TypeVar("T")
Json = bytes | bytearray | msgspec.Raw

_NOUNS: dict[Any, str] = {
    Any: "a value with numbers in range",
    bool: "true or false",
    dict: "an object",
    float: "a number",
    int: "a whole number",
    list: "a list",
    str: "a string",
}


class Rule(Enum):
    """The rules of a request, each with the text for a request that breaks it."""

    COMPLETE = "the body is incomplete"
    UTF8 = "the body is not UTF-8"
    JSON = "the body is not JSON"
    DEPTH = "the body is nested too deeply"
    REQUIRED = "{path} is missing"
    TYPE = "{path} must be {noun}"
    GROUP = (
        "children has no group {group}: send {{}} for it if there is no such object; "
        "in a cluster, add the kind to childResources"
    )
    NAME = "{path}.metadata.name must not be empty"
    UNIQUE = "{path}.metadata.name must be unique in a namespace"


class MalformedRequest(ValueError):
    """Raised when a body is not a hook request. Its text is the response: *names* never hold any of the body."""

    def __init__(self, rule: Rule, **names: str) -> None:
        # Why a rule and not a text: a hook that raises this by itself must not get a user's text into an Event.
        super().__init__(rule.value.format(**names))


def read(json: Json, expected: type[T], path: str = "") -> T:
    """Return *json*, which is at *path* of the body, as the type *expected*; raise MalformedRequest."""
    try:
        return msgspec.json.decode(json, type=expected)
    except (msgspec.DecodeError, RecursionError):
        # Why the default: only the type of _error allows for None here.
        raise _error(json, expected, path) or MalformedRequest(Rule.JSON) from None


def try_read(json: Json, expected: type[T]) -> T | None:
    """Return *json* as the type *expected*, or None if it is something else."""
    try:
        return msgspec.json.decode(json, type=expected)
    except (msgspec.DecodeError, RecursionError):
        return None


def _error(json: Json, expected: Any, path: str) -> MalformedRequest | None:  # noqa: ANN401 - a type, or a union of types
    """Return the error for the first rule that *json*, at *path*, breaks; None if it can be read as *expected*."""
    try:
        msgspec.json.decode(json, type=expected)
    except msgspec.ValidationError:
        # Why not at once: msgspec may find a wrong type before it has read the rest, which may not be JSON.
        return _error(json, msgspec.Raw, path) or _error_of_type(json, _without_null(expected), path)
    except msgspec.DecodeError:
        return MalformedRequest(Rule.JSON)
    except RecursionError:
        return MalformedRequest(Rule.DEPTH)
    return None


def _error_of_type(json: Json, kind: Any, path: str) -> MalformedRequest:  # noqa: ANN401 - a type
    """Return the error of a field or member of *json*, or else that of *json* itself."""
    wrong = MalformedRequest(Rule.TYPE, path=path or "the body", noun=_noun(kind))
    return next((error for error in _errors_of_parts(json, kind, path) if error), wrong)


def _errors_of_parts(json: Json, kind: Any, path: str) -> Iterator[MalformedRequest | None]:  # noqa: ANN401 - a type
    """Yield the error of each field or member of *json*, or None; nothing if it can't have any."""
    if _is_struct(kind):
        fields = try_read(json, dict[str, msgspec.Raw])
        yield from () if fields is None else _errors_of_fields(fields, kind, path)
    elif get_origin(kind) is dict:
        members, inner = try_read(json, dict[str, msgspec.Raw]) or {}, get_args(kind)[1]
        yield from (_error(member, inner, f"{path}[*]") for member in members.values())
    elif get_origin(kind) is list:
        items, inner = try_read(json, list[msgspec.Raw]) or [], get_args(kind)[0]
        yield from (_error(item, inner, f"{path}[*]") for item in items)


def _errors_of_fields(fields: dict[str, msgspec.Raw], struct: type, path: str) -> Iterator[MalformedRequest | None]:
    """Yield the error of each field of *struct* in *fields*, or None."""
    for field in msgspec.structs.fields(struct):
        at = f"{path}.{field.encode_name}".removeprefix(".")
        if field.encode_name in fields:
            yield _error(fields[field.encode_name], field.type, at)
        elif field.required:
            yield MalformedRequest(Rule.REQUIRED, path=at)


def _without_null(expected: Any) -> Any:  # noqa: ANN401 - a type, or a union of types
    """Return the type of which *expected* is a union with null, or else *expected*."""
    types = [each for each in get_args(expected) if each is not NoneType]
    return types[0] if NoneType in get_args(expected) and len(types) == 1 else expected


def _is_struct(kind: Any) -> bool:  # noqa: ANN401 - a type
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _noun(kind: Any) -> str:  # noqa: ANN401 - a type
    """Return what a value of *kind* is, with its bounds, such as ``a string of 1 to 253 characters``."""
    if get_origin(kind) is Annotated:
        base, *metas = get_args(kind)
        return _noun(base) + "".join(_bounds(meta) for meta in metas)
    if _is_struct(kind):
        return _NOUNS[dict]
    return _NOUNS.get(get_origin(kind) or kind, "of the type that the hook declares")


def _bounds(meta: msgspec.Meta) -> str:
    if meta.min_length is not None and meta.max_length is not None:
        return f" of {meta.min_length} to {meta.max_length} characters"
    return "" if meta.ge is None else f" of at least {meta.ge}"
