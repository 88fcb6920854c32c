"""Evaluates CEL rules as the API server does.

cel-python brings the language, and ``matches`` with RE2; here are the functions of Kubernetes that rules use most. To
import this takes a tenth of a second: do so where there are rules.
"""

import ipaddress
import re
from base64 import b64decode
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import cache
from itertools import pairwise
from typing import Any

from celpy import evaluation
from celpy.adapter import json_to_cel
from celpy.celparser import CELParseError, CELParser
from celpy.celtypes import (
    BoolType,
    BytesType,
    DoubleType,
    DurationType,
    IntType,
    ListType,
    MapType,
    StringType,
    TimestampType,
    logical_and,
    logical_or,
)
from celpy.evaluation import Activation, CELEvalError, Evaluator, base_functions


class _Generic:
    """Stands for ``Union`` in ``cast(Union[...], value)``: to make those types takes a third of cel-python's time."""

    def __class_getitem__(cls, _: object) -> type:
        return cls


for _name in ("List", "Tuple", "Union"):
    setattr(evaluation, _name, _Generic)

_NUMBER = r"[+-]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)"
_QUANTITY = re.compile(rf"({_NUMBER})(?:([numkMGTPE]|[KMGTPE]i)?|[eE]([+-]?[0-9]+))")
_POWERS = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei")


def quantity(text: str) -> Decimal:
    """Return the amount that *text* says; raise ValueError if it is no quantity."""
    parts = _QUANTITY.fullmatch(text)
    if parts is None:
        message = f"no quantity: {text!r}"
        raise ValueError(message)
    number, suffix, exponent = Decimal(parts[1]), parts[2], parts[3]
    if suffix in _BINARY:
        return number * Decimal(1024) ** (_BINARY.index(suffix) + 1)
    return number.scaleb(int(exponent) if exponent else _POWERS.get(suffix, 0))


def is_quantity(text: str) -> BoolType:
    """Tell whether *text* is a quantity, as CEL's isQuantity does."""
    return BoolType(_QUANTITY.fullmatch(text) is not None)


def _is_ip(text: str) -> BoolType:
    """Tell whether *text* is an IP address. Source: Kubernetes, apiserver/pkg/cel/library/ip.go."""
    try:
        packed = ipaddress.ip_address(str(text)).packed
    except ValueError:
        packed = b""
    return BoolType(packed != b"" and "%" not in text and packed[:-4] != bytes(10) + b"\xff\xff")


def _is_network(text: str) -> bool:
    try:
        return ipaddress.ip_interface(str(text)) is not None
    except ValueError:
        return False


def _compare(one: Decimal, other: Decimal) -> IntType:
    return IntType((one > other) - (one < other))


def _lower_ascii(text: str) -> StringType:
    return StringType("".join(letter.lower() if letter.isascii() else letter for letter in text))


def _index_of(whole: Any, part: Any, start: int = 0) -> IntType:
    if isinstance(whole, str):
        return IntType(whole.find(part, start))
    return IntType(next((index for index, item in enumerate(whole) if item == part), -1))


def _last_index_of(whole: Any, part: Any, last: int | None = None) -> IntType:
    if isinstance(whole, str):
        return IntType(whole.rfind(part, 0, None if last is None else last + len(part)))
    return IntType(max((index for index, item in enumerate(whole) if item == part), default=-1))


def _split(text: str, by: str, most: int = -1) -> ListType:
    parts = text.split(by, most - 1) if by and most > 0 else list(text) if not by else text.split(by) if most else []
    return ListType(map(StringType, parts))


def _sum(numbers: list[IntType]) -> IntType:
    return IntType(sum(numbers))


def _equal(one: Any, other: Any) -> Any:
    """Return whether two values are equal; those of different types are not, which cel-python calls an error."""
    errors = [value for value in (one, other) if isinstance(value, CELEvalError)]
    return errors[0] if errors else BoolType(type(one) is type(other) and one == other)


def _differ(one: Any, other: Any) -> Any:
    equal = _equal(one, other)
    return equal if isinstance(equal, CELEvalError) else BoolType(not equal)


_FUNCTIONS: dict[str, Any] = {
    "_==_": _equal,
    "_!=_": _differ,
    "quantity": quantity,
    "isQuantity": is_quantity,
    "isIP": _is_ip,
    "compareTo": _compare,
    "isGreaterThan": lambda one, other: BoolType(one > other),
    "isLessThan": lambda one, other: BoolType(one < other),
    "isInteger": lambda amount: BoolType(amount == amount.to_integral_value()),
    "asInteger": lambda amount: IntType(int(amount)),
    "sign": lambda amount: IntType((amount > 0) - (amount < 0)),
    "add": lambda one, other: one + other,
    "sub": lambda one, other: one - other,
    "isCIDR": lambda text: BoolType("/" in text and _is_ip(text.partition("/")[0]) and _is_network(text)),
    "isURL": lambda text: BoolType(re.fullmatch(r"[A-Za-z][-+.A-Za-z0-9]*:[^\s]*|/[^\s]*", text) is not None),
    "lowerAscii": _lower_ascii,
    "upperAscii": lambda text: StringType("".join(each.upper() if each.isascii() else each for each in text)),
    "indexOf": _index_of,
    "lastIndexOf": _last_index_of,
    "charAt": lambda text, index: StringType(text[index : index + 1]),
    "replace": lambda text, old, new, *most: StringType(text.replace(old, new, *most)),
    "split": _split,
    "substring": lambda text, *ends: StringType(text[slice(*ends, *[None] * (2 - len(ends)))]),
    "trim": lambda text: StringType(text.strip()),
    "join": lambda texts, by="": StringType(by.join(texts)),
    "sum": _sum,
    "min": min,
    "max": max,
    "isSorted": lambda items: BoolType(all(one <= other for one, other in pairwise(items))),
}

_MACROS = {"has", "all", "exists", "exists_one", "map", "filter"}
_TEXTS = re.compile(r"""r?("(\\.|[^"\\])*"|'(\\.|[^'\\])*')""")
_CALLS = re.compile(r"([A-Za-z_]\w*) *\(")


def unknown_part(rule: str) -> str:
    """Return the function of *rule* that is unknown here, or all of it if it can't be parsed; empty if it is known."""
    known = {*_FUNCTIONS, *base_functions, *_MACROS}
    named = next((name for name in _CALLS.findall(_TEXTS.sub("''", rule)) if name not in known), "")
    try:
        _parsed(rule)
    except CELParseError:
        return rule
    return named


class _Evaluator(Evaluator):
    """An evaluator that stops at the operand that decides: cel-python's own trips over an error behind it."""

    def sub_evaluator(self, ast: Any) -> Evaluator:
        return _Evaluator(ast, activation=self.activation)

    def conditionalor(self, tree: Any) -> Any:
        return self._until(logical_or, tree, decisive=True)

    def conditionaland(self, tree: Any) -> Any:
        return self._until(logical_and, tree, decisive=False)

    def _until(self, combine: Callable[[Any, Any], Any], tree: Any, *, decisive: bool) -> Any:
        first, *others = tree.children
        found: Any = self.visit(first)
        if not others or (isinstance(found, BoolType) and bool(found) is decisive):
            return found
        return combine(found, self.visit(others[0]))


# An Environment, which cel-python has for this, would raise the limit of recursion.
_PARSER = CELParser()

_PASSING_ON = {"expr", "conditionalor", "conditionaland", "relation", "addition", "multiplication", "unary", "member"}
"""Nodes that with a single child only hand on its value."""


def _shortened(tree: Any) -> Any:
    """Return *tree* without nodes that only hand on a value, and with plain texts: evaluation takes half the time."""
    if not hasattr(tree, "children"):
        return tree
    tree.data = str(tree.data)  # a token compares itself in Python
    tree.children = [_shortened(child) for child in tree.children]
    return tree.children[0] if tree.data in _PASSING_ON and len(tree.children) == 1 else tree


@cache
def _parsed(rule: str) -> Any:
    return _shortened(_PARSER.parse(rule))


_UNKNOWN_FORM = ("no such overload", TypeError)
"""What cel-python says of a function that a rule calls with arguments that are not known here."""


def evaluates(rule: str, value: Any, before: Any) -> Any:
    """Return what *rule* says of values of CEL; false if it fails on the way, and true if it fails here alone."""
    try:
        found = _Evaluator(_parsed(rule), Activation(functions=_FUNCTIONS)).evaluate({"self": value, "oldSelf": before})
    except CELEvalError as error:
        return error.args[:2] == _UNKNOWN_FORM
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):  # cel-python's own
        return True
    return str(found) if isinstance(found, str) else bool(found)


_RESERVED = {
    "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
    "loop", "package", "namespace", "return",
}  # fmt: skip
_ESCAPES = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}


def _escaped(name: str) -> StringType:
    """Return how a rule calls the field *name*. Source: Kubernetes, apiserver/pkg/cel/escaping.go."""
    if name in _RESERVED:
        return StringType(f"__{name}__")
    return StringType(re.sub(r"__|[.\-/]", lambda found: _ESCAPES[found[0]], name))


_FORMATS: dict[str, Callable[[str], Any]] = {
    "byte": lambda text: BytesType(b64decode(text)),
    "date": lambda text: TimestampType(f"{date.fromisoformat(text)}T00:00:00Z"),
    "date-time": TimestampType,
    "duration": DurationType,
}


def cel_value(value: Any, schema: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return ListType(cel_value(item, schema.get("items") or {}) for item in value)
    if isinstance(value, dict):
        fields, others = schema.get("properties") or {}, schema.get("additionalProperties")
        rest = others if isinstance(others, dict) else {}
        return MapType(
            {
                _escaped(name) if name in fields else StringType(name): cel_value(inner, fields.get(name, rest))
                for name, inner in value.items()
            }
        )
    if schema.get("type") == "number":
        return DoubleType(value)
    if isinstance(value, str) and schema.get("format") in _FORMATS:
        return _FORMATS[schema["format"]](value)
    return json_to_cel(value)
