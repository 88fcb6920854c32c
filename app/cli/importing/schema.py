"""Objects as an API server stores them, and how two of them differ, by Kubernetes' own schema of their kind.

kubernetes.json has the schema: ``python -m tests.support.recorded_schema`` records it from a real API server.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from app import Json

Path = tuple[str, ...]
"""The names of fields, and the items of lists, such as ``("spec", "ports", "[80]")``."""

ABSENT = object()
"""In place of a value that an object does not have."""

_METADATA = {"apiVersion", "kind", "metadata", "status"}
_MATCHES_ALL = {
    "core.v1.EmptyDirVolumeSource",
    "core.v1.ImageVolumeSource",
    "apis.meta.v1.LabelSelector",
    "core.v1.NodeSelectorTerm",
}
"""Types whose ``{}`` means something; that of others means the same as nothing."""

_ENTERED = {
    "metadata", "labels", "annotations", "securityContext", "capabilities", "resources", "requests", "limits",
    "lifecycle",
}  # fmt: skip
"""Objects that are as good as there: what is in them differs one by one."""

_WHOLE = {"command", "args", "drop", "values"}
"""Lists of texts that mean something as a whole only."""

_QUANTITY = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,2})?")
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_IN_BYTES = re.compile("memory|ephemeral-storage|storage|hugepages-.*|sizeLimit")


class UnacceptableError(Exception):
    """Raised for an object that no API server accepts."""


@cache
def _schema() -> Json:
    found: Json = json.loads(files(__package__).joinpath("kubernetes.json").read_bytes())
    return found


def _shape(type_: Any) -> Any:  # noqa: ANN401 - a type
    return _schema()["types"][type_[1:]] if isinstance(type_, str) and type_[0] == "#" else type_


def kind_of(item: Json) -> str:
    """Return the type of *item*; empty if it is of no kind that an import reads."""
    return str(_schema()["kinds"].get(f"{item['apiVersion']} {item['kind']}", ""))


def amount_of(written: object) -> Fraction | None:
    """Return the amount that the quantity *written* is; None if it is none."""
    parts = _QUANTITY.fullmatch(str(written)) if not isinstance(written, bool) else None
    if parts is None:
        return None
    suffix = parts[2] or ""
    if suffix in _BINARY:
        return Fraction(parts[1]) * (1 << _BINARY[suffix])
    exponent = _DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:])
    return Fraction(f"{parts[1]}e{exponent}")


def quantity(written: object, resource: str = "") -> str | None:
    """Return the quantity *written* as an API server stores it, which rounds up to a thousandth.

    An amount of *resource*, if that is counted in bytes, is rounded up to whole ones, as all that read it do.
    """
    amount = amount_of(written)
    if amount is None:
        return None
    steps = 1 if _IN_BYTES.fullmatch(resource) else 1000
    amount = Fraction(math.ceil(amount * steps), steps)
    is_binary = str(written).endswith("i") and abs(amount) >= 1024 and amount.denominator == 1  # noqa: PLR2004 - 1Ki
    units = {"": Fraction(1)} | (
        {unit: Fraction(2**power) for unit, power in _BINARY.items()}
        if is_binary
        else {unit: Fraction(10) ** power for unit, power in _DECIMAL.items()}
    )
    unit = max((name for name in units if (amount / units[name]).denominator == 1), key=lambda name: units[name])
    return f"{amount / units[unit]}{unit}" if amount else "0"


@dataclass
class Stored:
    """An object as an API server stores it: its *spec*, and the paths of the fields that its kind does not declare."""

    spec: Json
    undeclared: list[Path]


def stored(item: Json) -> Stored:
    """Return *item* as an API server stores it, without values that mean nothing; raise UnacceptableError."""
    _read(item.get("metadata"), "#apis.meta.v1.ObjectMeta", ("metadata",), [])
    undeclared: list[Path] = [(name,) for name in item if name not in {*_METADATA, "spec"}]
    type_ = _schema()["types"][kind_of(item)]["fields"]["spec"]
    spec = _read(item.get("spec"), type_, ("spec",), undeclared)
    return Stored(spec, undeclared)


def _read(value: Any, type_: Any, path: Path, undeclared: list[Path]) -> Any:  # noqa: ANN401 - any JSON
    shape = _shape(type_)
    if isinstance(shape, str):
        return _scalar(value, shape, path)
    if "fields" in shape:
        return _object(_expected(value, dict, "an object", path), shape, path, undeclared)
    if "items" in shape:
        items = [({} if item is None else item) for item in _expected(value, list, "a list", path)]
        return [_read(item, shape["items"], (*path, f"[{index}]"), undeclared) for index, item in enumerate(items)]
    if "values" in shape:
        entries = _expected(value, dict, "an object", path)
        read = {
            str(key): _read(inner, shape["values"], (*path, str(key)), undeclared)
            for key, inner in entries.items()
            if inner is not None
        }
        return {key: quantity(inner, key) for key, inner in read.items()} if shape["values"] == "quantity" else read
    return _scalar(value, "string", path) if "enum" in shape else value


def _object(entries: Json, shape: Json, path: Path, undeclared: list[Path]) -> Json:
    kept = shape.get("kept", ())
    found: Json = {}
    for field, given in entries.items():
        if field not in shape["fields"]:
            undeclared.append((*path, str(field)))
        elif given is not None:
            inner = _read(given, shape["fields"][field], (*path, field), undeclared)
            if field in kept or inner not in (False, 0, "", [], {}):
                found[field] = quantity(inner, field) if field == "sizeLimit" else inner
    missing = [field for field in shape.get("required", ()) if field not in {*found, *shape.get("defaults", ())}]
    if missing:
        message = f"{format_path((*path, missing[0]))} is required"
        raise UnacceptableError(message)
    filled = _filled(found, shape.get("defaults", {}))
    unset = shape.get("unset", {})
    return {
        field: inner
        for field, inner in filled.items()
        if not (field in unset and unset[field] == inner)
        and (inner != {} or shape["fields"][field][1:] in _MATCHES_ALL)
    }


def _filled(given: Json, defaults: Json) -> Json:
    """Return *given* with *defaults*, also those within objects that it has a part of."""
    merged = {
        field: _filled(given[field], default)
        for field, default in defaults.items()
        if isinstance(default, dict) and isinstance(given.get(field), dict)
    }
    filled = {**given, **{field: default for field, default in defaults.items() if field not in given}, **merged}
    if filled.get("type") == "Recreate":
        filled.pop("rollingUpdate", None)
    return filled


def _scalar(value: Any, kind: str, path: Path) -> Any:  # noqa: ANN401 - any JSON
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if kind in ("int32", "int64", "int-or-string"):
        if is_number and value == int(value) and abs(value) < 2 ** (63 if kind == "int64" else 31):
            return int(value)
        _expected(value, str if kind == "int-or-string" else int, "a whole number", path)
    elif kind == "quantity":
        return quantity(value) or _refuse(path, "a quantity, such as 64Mi")
    elif kind == "boolean":
        return _expected(value, bool, "true or false", path)
    elif kind in ("double", "number"):
        return value if is_number else _refuse(path, "a number")
    if kind in ("int32", "int64"):
        _refuse(path, "a whole number")
    return _expected(value, str, "a string", path)


def _expected(value: Any, type_: type, words: str, path: Path) -> Any:  # noqa: ANN401 - any JSON
    return value if isinstance(value, type_) else _refuse(path, words)


def _refuse(path: Path, words: str) -> Any:  # noqa: ANN401 - it returns nothing
    message = f"{format_path(path)} must be {words}"
    raise UnacceptableError(message)


@dataclass(frozen=True)
class Difference:
    """A difference at *path*, where ``given`` or ``made`` may be ABSENT."""

    path: Path
    given: Any
    made: Any

    @property
    def is_added(self) -> bool:
        """Whether only the made object has something there."""
        return self.given is ABSENT


def format_path(path: Path) -> str:
    """Return *path* as users write it, such as ``spec.template.spec.containers[web].ports[80].hostPort``."""
    return "".join(step if step.startswith("[") else f".{step}" for step in path).removeprefix(".")


def fields_of(path: Path) -> str:
    """Return the names of the fields in *path*, such as ``spec.template.spec.containers.ports.hostPort``."""
    return ".".join(step for step in path if not step.startswith("["))


def spec_type(item: Json) -> Any:  # noqa: ANN401 - a type
    """Return the type of the spec of *item*."""
    return _schema()["types"][kind_of(item)]["fields"]["spec"]


def differences(given: Any, made: Any, type_: Any, path: Path = ("spec",)) -> Iterator[Difference]:  # noqa: ANN401 - any JSON
    """Yield where *made* is not as *given*, both of *type_*, at the highest place that only one of them has."""
    if given == made or (type_ == "quantity" and amount_of(given) == amount_of(made)):
        return
    shape = _shape(type_)
    if isinstance(given, dict) and isinstance(made, dict) and isinstance(shape, dict):
        fields = shape.get("fields", {})
        for name in dict.fromkeys([*given, *made]):
            inner = fields.get(name, shape.get("values", "string"))
            absent: Any = {} if name in _ENTERED else ABSENT
            yield from differences(given.get(name, absent), made.get(name, absent), inner, (*path, name))
    elif isinstance(given, list) and isinstance(made, list) and "items" in shape and path[-1] not in _WHOLE:
        old, new = steps_of(given, shape, made), steps_of(made, shape, given)
        for step in dict.fromkeys([*old, *new]):
            yield from differences(old.get(step, ABSENT), new.get(step, ABSENT), shape["items"], (*path, step))
    else:
        yield Difference(path, given, made)


def steps_of(items: list[Any], shape: Json, others: list[Any] | None = None) -> dict[str, Any]:
    """Return the *items* of a list of *shape* by their steps in a path; one that is among *others* has no number."""
    keys = shape.get("keys")
    found: dict[str, Any] = {}
    left = [*(others or [])]
    for index, item in enumerate(items):
        if keys and (known := _key(item, keys)):
            step = f"[{known}]"
        elif isinstance(item, str | int):
            step = f"[{item}]"
        elif others is not None and item in left:
            left.remove(item)
            continue
        else:
            step = f"[{index}]"
        if step in found and item != found[step]:
            step = f"{step[:-1]}, {index}]"
        found[step] = item
    return found


def _key(item: Json, keys: list[str]) -> str:
    values = [item.get(key) for key in keys]
    # A port that has no protocol, or TCP, is known by its number alone.
    shown = [str(value) for key, value in zip(keys, values, strict=True) if value != "TCP" and value is not None]
    return "/".join(shown)


def brief(value: Any, type_: Any) -> Any:  # noqa: ANN401 - any JSON
    """Return *value*, of *type_*, without the defaults that an API server sets."""
    shape = _shape(type_)
    if isinstance(value, list):
        return [brief(item, shape["items"]) for item in value]
    if not isinstance(value, dict) or "fields" not in shape:
        return value
    defaults = shape.get("defaults", {})
    return {
        name: brief(inner, shape["fields"][name])
        for name, inner in value.items()
        if not (name in defaults and defaults[name] == inner)
    }


def items_of(value: Json, kind: str, name: str) -> dict[str, Any]:
    """Return the items of the list in the field *name* of *value*, of the type *kind*, by their steps in a path."""
    return steps_of(value.get(name) or [], _schema()["types"][kind]["fields"][name])
