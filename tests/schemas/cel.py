"""Evaluates CEL rules as the API server does.

cel-python brings the language, and ``matches`` with RE2; here are the functions of Kubernetes that our rules use.
"""

import ipaddress
import re
import sys
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

import celpy
import msgspec
from celpy import evaluation
from celpy.adapter import json_to_cel
from celpy.celtypes import BoolType, IntType, StringType, logical_and, logical_or
from celpy.evaluation import Activation, CELEvalError, Evaluator


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


def _compare(one: Decimal, other: Decimal) -> IntType:
    return IntType((one > other) - (one < other))


def _lower_ascii(text: str) -> StringType:
    return StringType("".join(letter.lower() if letter.isascii() else letter for letter in text))


def _index_of(text: str, part: str) -> IntType:
    return IntType(text.find(part))


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
    "lowerAscii": _lower_ascii,
    "indexOf": _index_of,
    "sum": _sum,
}


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


_LIMIT = sys.getrecursionlimit()
_ENVIRONMENT = celpy.Environment()
sys.setrecursionlimit(_LIMIT)  # the environment has raised it, and other tests look for what is too deep


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
    return _shortened(_ENVIRONMENT.compile(rule))


def holds(rule: str, value: Any, before: Any = None) -> bool:
    """Tell whether *rule* holds for *value*, which it calls self, and the value *before*, which it calls oldSelf.

    A rule that fails on the way does not hold.
    """
    return _holds(rule, msgspec.json.encode(value), msgspec.json.encode(before))


@cache
def _value(encoded: bytes) -> Any:
    """Return the value of the JSON *encoded*, which many rules are about."""
    return json_to_cel(msgspec.json.decode(encoded))


@cache
def _holds(rule: str, value: bytes, before: bytes) -> bool:
    """Tell the same for values in JSON: most values of most examples are alike."""
    values = {"self": _value(value), "oldSelf": _value(before)}
    try:
        return bool(_Evaluator(_parsed(rule), Activation(functions=_FUNCTIONS)).evaluate(values))
    except CELEvalError:
        return False
