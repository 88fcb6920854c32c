"""Scalars of Kubernetes' own kinds: which values are one, and how the API server stores them.

Source of quantities: Kubernetes, k8s.io/apimachinery/pkg/api/resource, "Before serializing, Quantity will be put in
canonical form". Of times: metav1.Time and metav1.MicroTime.
"""

import functools
import math
import re
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

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
