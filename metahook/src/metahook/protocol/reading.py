"""Reads JSON as a type, or tells which rule of the type it breaks.

The rules are in words of our own, not of msgspec: they are the responses with status 400, which Metacontroller copies
into Events and logs. So a rule holds nothing of the request. It names only fields that a struct declares, and groups
that a controller declares; ``[*]`` stands for any key and any index.
"""

from collections.abc import Iterator
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_origin

import msgspec

T = TypeVar("T")
Json = bytes | bytearray | msgspec.Raw

INCOMPLETE = "the body is incomplete"
NOT_UTF8 = "the body is not UTF-8"
NOT_JSON = "the body is not JSON"
TOO_DEEP = "the body is nested too deeply"
_MISSING = "{path} is missing"
_WRONG = "{path} must be {noun}"
_NO_GROUP = (
    "children has no group {group}: send {{}} for it if there is no such object; "
    "in a cluster, add the kind to childResources"
)
_NO_NAME = "{path}.metadata.name must not be empty"
_SAME_NAME = "{path}.metadata.name must be unique in a namespace"

_NOUNS: dict[Any, str] = {
    Any: "a value with numbers in range",
    bool: "true or false",
    dict: "an object",
    float: "a number",
    int: "a whole number",
    list: "a list",
    str: "a string",
}


class MalformedRequest(ValueError):
    """Raised when a body is not a hook request. Its text is sent as the response: it never holds any of the body."""


def no_group(group: str) -> MalformedRequest:
    """Return the error for children without *group*, which the controller declares, such as ``Service.v1``."""
    return MalformedRequest(_NO_GROUP.format(group=group))


def no_name(path: str) -> MalformedRequest:
    """Return the error for an object without a name among those at *path*."""
    return MalformedRequest(_NO_NAME.format(path=path))


def same_name(path: str) -> MalformedRequest:
    """Return the error for two objects of one name among those at *path*."""
    return MalformedRequest(_SAME_NAME.format(path=path))


def read(json: Json, expected: type[T], path: str = "") -> T:
    """Return *json*, which is at *path* of the body, as the type *expected*; raise MalformedRequest."""
    try:
        return msgspec.json.decode(json, type=expected)
    except (msgspec.DecodeError, RecursionError):
        raise MalformedRequest(_broken_rule(json, expected, path)) from None


def try_read(json: Json, expected: type[T]) -> T | None:
    """Return *json* as the type *expected*, or None if it is something else."""
    try:
        return msgspec.json.decode(json, type=expected)
    except (msgspec.DecodeError, RecursionError):
        return None


def _broken_rule(json: Json, expected: Any, path: str) -> str | None:  # noqa: ANN401 - a type, or a union of types
    """Return the first rule of the type *expected* that *json*, at *path*, breaks; None if it can be read."""
    try:
        msgspec.json.decode(json, type=expected)
    except msgspec.ValidationError:
        # Why not at once: msgspec may find a wrong type before it has read the rest, which may not be JSON.
        return _broken_rule(json, msgspec.Raw, path) or _broken_part(json, _without_null(expected), path)
    except msgspec.DecodeError:
        return NOT_JSON
    except RecursionError:
        return TOO_DEEP
    return None


def _broken_part(json: Json, kind: Any, path: str) -> str:  # noqa: ANN401 - a type
    """Return the rule that a field or member of *json* breaks, or that *json* itself breaks."""
    wrong = _WRONG.format(path=path or "the body", noun=_noun(kind))
    return next((rule for rule in _rules_of_parts(json, kind, path) if rule), wrong)


def _rules_of_parts(json: Json, kind: Any, path: str) -> Iterator[str | None]:  # noqa: ANN401 - a type
    """Yield the rule that each field or member of *json* breaks, or None; nothing if *json* can't have any."""
    if _is_struct(kind):
        fields = try_read(json, dict[str, msgspec.Raw])
        yield from () if fields is None else _rules_of_fields(fields, kind, path)
    elif get_origin(kind) is dict:
        members = try_read(json, dict[str, msgspec.Raw]) or {}
        yield from (_broken_rule(member, get_args(kind)[1], f"{path}[*]") for member in members.values())
    elif get_origin(kind) is list:
        items = try_read(json, list[msgspec.Raw]) or []
        yield from (_broken_rule(item, get_args(kind)[0], f"{path}[*]") for item in items)


def _rules_of_fields(fields: dict[str, msgspec.Raw], struct: type, path: str) -> Iterator[str | None]:
    """Yield the rule that each field of *struct* breaks in *fields*, or None."""
    for field in msgspec.structs.fields(struct):
        at = f"{path}.{field.encode_name}".removeprefix(".")
        if field.encode_name in fields:
            yield _broken_rule(fields[field.encode_name], field.type, at)
        elif field.required:
            yield _MISSING.format(path=at)


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
