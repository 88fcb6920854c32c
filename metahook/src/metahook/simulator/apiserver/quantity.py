"""Quantities in the canonical form of the API server.

Source: Kubernetes, k8s.io/apimachinery/pkg/api/resource, "Before serializing, Quantity will be put in canonical form".
"""

import functools
import math
from fractions import Fraction

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
