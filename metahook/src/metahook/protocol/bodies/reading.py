"""Reads JSON as a type, or tells which rule of the type it breaks.

The rules have words of their own, see :mod:`metahook.protocol.bodies.malformed`: the errors of msgspec can hold values
of the request. Of such an error only the path is used, and only to find the type there. So to name the rule costs no
more than to read the JSON once more, however many members it has.
"""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec

from metahook.protocol.bodies.malformed import MalformedRequest, RequestRule

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)
Encoded = bytes | bytearray | msgspec.Raw

_decoder: Callable[[Any], msgspec.json.Decoder[Any]] = lru_cache(msgspec.json.Decoder)
"""Returns the decoder of a type: to make one for a dictionary takes longer than to decode a short one."""

_BY_ITEM = 64 * 1024
"""Bytes of a list that is read item by item, at most: each item takes a microsecond, whatever it is."""

_NOUNS: dict[Any, str] = {
    Any: "a value with numbers in range",
    bool: "true or false",
    datetime: "a time in RFC 3339",
    dict: "an object",
    float: "a number",
    int: "a whole number",
    list: "a list",
    str: "a string",
}
_UNITS: dict[Any, str] = {dict: "keys", list: "items", str: "characters"}
_BOUNDS = {
    "gt": "greater than {}",
    "ge": "of at least {}",
    "lt": "less than {}",
    "le": "of at most {}",
    "multiple_of": "divisible by {}",
    "pattern": "matching {}",
}
"""Attributes of msgspec.Meta, each with its words."""

_UNNAMED = (None, -(2**63), 2**63 - 1)
"""Bounds that are not named: no API server stores a number that exceeds them."""

_PLACE = re.compile(r" - at (?P<key>`key` in )?`\$(?P<steps>[^`]*)`$")
"""Where an error of msgspec is, such as ``$.spec.ports[0].name``; nowhere for the whole JSON. The rest
of its text is not used, because it may hold values.

The text is read because msgspec says nothing in another way: up to 0.22 its errors have no attributes, and
https://github.com/msgspec/msgspec/issues/264 asks for some. Tests fail if a later version has another text.
"""


def read(json: Encoded, expected: type[T], path: str = "") -> T:
    """Return *json*, which is at *path* of the body, as the type *expected*; raise MalformedRequest."""
    try:
        decoded: T = _decoder(expected).decode(json)
    except msgspec.ValidationError as error:
        # msgspec may find a wrong type before it has read the rest, which may not be JSON.
        read(json, msgspec.Raw)
        raise _error(str(error), expected, path) from None
    except msgspec.DecodeError:
        raise MalformedRequest(RequestRule.JSON) from None
    except RecursionError:
        raise MalformedRequest(RequestRule.DEPTH) from None
    return decoded


def try_read(json: Encoded, expected: type[T]) -> T | None:
    """Return *json* as the type *expected*, or None if it is something else."""
    try:
        decoded: T = _decoder(expected).decode(json)
    except (msgspec.DecodeError, RecursionError):
        return None
    return decoded


def try_read_list(json: Encoded, struct: type[S]) -> list[S]:
    """Return the items of the list *json* that can be read as *struct*.

    There are none if it is no list, or if one item can't be read in a list over 64 KiB.
    """
    try:
        return _list_decoder(struct).decode(json)
    except (msgspec.DecodeError, RecursionError):
        is_short = len(memoryview(json)) <= _BY_ITEM
        items = (try_read(json, list[msgspec.Raw]) or []) if is_short else []
        return [item for item in (try_read(raw, struct) for raw in items) if item is not None]


def try_read_fields(json: Encoded, struct: type[S]) -> S:
    """Return the object *json* as *struct*, in which every field has a default, and keeps it if it can't be read.

    Of a list of structs, the items that can't be read are left out.
    """
    whole = try_read(json, struct)
    if whole is not None:
        return whole
    found = try_read(json, dict[str, msgspec.Raw]) or {}
    fields = [field for field in msgspec.structs.fields(struct) if field.encode_name in found] if found else []
    values = {field.name: _try_read_field(found[field.encode_name], field.type) for field in fields}
    return struct(**{name: value for name, value in values.items() if value is not None})


def _try_read_field(json: Encoded, expected: Any) -> Any:  # noqa: ANN401 - a type, and a value of it
    base, _ = _unwrapped(expected)
    if get_origin(base) is list and _is_struct(get_args(base)[0]):
        return try_read_list(json, get_args(base)[0])
    return try_read(json, expected)


@lru_cache
def _list_decoder(struct: type[S]) -> msgspec.json.Decoder[list[S]]:
    return msgspec.json.Decoder(list[struct])  # type: ignore[valid-type] # made here


def _error(text: str, expected: Any, path: str) -> MalformedRequest:  # noqa: ANN401 - a type
    """Return the error for what msgspec says in *text* of JSON at *path* that is not as *expected*."""
    place = _PLACE.search(text)
    kind, at = _walk(expected, place["steps"] if place else "", path)
    base, _ = _unwrapped(kind)
    if place and place["key"] and get_origin(base) is dict:
        return MalformedRequest(RequestRule.KEY, path=_of_body(at), noun=_noun(get_args(base)[0]))
    for field in _fields(base):
        if text.startswith(f"Object missing required field `{field.encode_name}`"):
            return MalformedRequest(RequestRule.REQUIRED, path=_of_body(f"{at}.{field.encode_name}"))
    return MalformedRequest(RequestRule.TYPE, path=_of_body(at), noun=_noun(kind))


def _of_body(path: str) -> str:
    """Return *path* as a text names it: such as ``parent.spec``, or ``the body[*]``."""
    named = path.removeprefix(".")
    return f"the body{named}" if named[:1] in {"", "["} else named


def _walk(kind: Any, steps: str, path: str) -> tuple[Any, str]:  # noqa: ANN401 - a type
    """Return the type to which *steps* lead from *kind* at *path*, as far as it names its parts, and the path there."""
    while step := _step(kind, steps):
        kind, name, steps = step
        path += name
    return kind, path


def _step(kind: Any, steps: str) -> tuple[Any, str, str] | None:  # noqa: ANN401 - a type
    """Return the type and the name of the first of *steps* from *kind*, and the other steps; None at the end."""
    base, _ = _unwrapped(kind)
    if get_origin(base) in (dict, list) and steps.startswith("["):
        return get_args(base)[-1], "[*]", steps.partition("]")[2]
    for field in _fields(base):
        name = f".{field.encode_name}"
        rest = steps.removeprefix(name)
        if rest != steps and rest[:1] in {"", ".", "["}:
            return field.type, name, rest
    return None


def _unwrapped(kind: Any) -> tuple[Any, list[msgspec.Meta]]:  # noqa: ANN401 - a type
    """Return *kind* without its bounds and without null, and its bounds."""
    if get_origin(kind) is Annotated:
        inner, *notes = get_args(kind)
        base, metas = _unwrapped(inner)
        return base, [*metas, *(note for note in notes if isinstance(note, msgspec.Meta))]
    if get_origin(kind) in (Union, UnionType):
        types = [member for member in get_args(kind) if member is not NoneType]
        return _unwrapped(types[0]) if len(types) == 1 else (kind, [])
    return kind, []


def _fields(kind: Any) -> tuple[msgspec.structs.FieldInfo, ...]:  # noqa: ANN401 - a type
    return msgspec.structs.fields(kind) if _is_struct(kind) else ()


def _is_struct(kind: Any) -> bool:  # noqa: ANN401 - a type
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _noun(kind: Any) -> str:  # noqa: ANN401 - a type
    """Return what a value of *kind* is, with its bounds, such as ``a string of 1 to 253 characters``."""
    base, metas = _unwrapped(kind)
    shape = dict if _is_struct(base) else get_origin(base) or base
    if shape not in _NOUNS:
        return "of the type that the hook declares"
    bounds = " and ".join(bound for meta in metas for bound in _bounds(meta, _UNITS.get(shape, "")))
    return f"{_NOUNS[shape]} {bounds}".rstrip()


def _bounds(meta: msgspec.Meta, units: str) -> Iterator[str]:
    """Yield the bounds of *meta*, whose lengths are in *units*."""
    if meta.min_length is not None or meta.max_length is not None:
        yield f"of {_length(meta.min_length, meta.max_length, units)}"
    for attribute, words in _BOUNDS.items():
        if (bound := getattr(meta, attribute)) not in _UNNAMED:
            yield words.format(bound)
    if meta.tz is not None:
        yield "with a time zone" if meta.tz else "without a time zone"


def _length(least: int | None, most: int | None, units: str) -> str:
    number = f"{least} to {most}"
    if least is None or most is None:
        number = f"at most {most}" if least is None else f"at least {least}"
    elif least == most:
        number = f"{most}"
    return f"{number} {units if (least if most is None else most) != 1 else units[:-1]}"
