"""Rules in CEL, as an API server evaluates them."""

from functools import cache
from typing import Any

import msgspec
from celpy.adapter import json_to_cel

from metahook.cli.files.cel import evaluates


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
    return bool(evaluates(rule, _value(value), _value(before)))
