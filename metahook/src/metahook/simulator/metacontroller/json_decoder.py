"""Decodes JSON as Go does where Python is more lenient, or stricter.

Source: Metacontroller 4.17, pkg/hooks/webhook.go, and sigs.k8s.io/json.
"""

import json
import math
import re
from typing import Any

from metahook.simulator.apiserver.schema import DEEPEST, json_problem, nested_values
from metahook.simulator.objects import Json

_SURROGATES = re.compile("[\ud800-\udfff]")
_MAX_INT = 2**63


class DecodedJson:
    """The ``value`` of the JSON *body*; raise ValueError. Lone surrogates become U+FFFD, as in Go."""

    def __init__(self, body: bytes) -> None:
        self._repeated: list[Json] = []
        self._has_no_escapes = b"\\u" not in body
        try:
            self.value: Any = json.loads(
                body.decode("utf-8", "replace"),
                object_pairs_hook=self._object,
                parse_constant=_refuse,
                parse_float=_number,
                parse_int=_whole,
            )
        except RecursionError:
            message = f"nested more than {DEEPEST} deep"
            raise ValueError(message) from None
        why = json_problem(self.value)
        if why is not None:
            raise ValueError(why)

    def repeats(self, value: Any, levels: int = DEEPEST) -> bool:
        """Tell whether an object in *value*, at most *levels* below it, has a key twice."""
        level = [value]
        for _ in range(levels + 1 if self._repeated else 0):
            if any(each is found for each in level for found in self._repeated):
                return True
            level = [inner for each in level for inner in nested_values(each)]
        return False

    def _object(self, pairs: list[tuple[str, Any]]) -> Json:
        found = (
            dict(pairs)
            if self._has_no_escapes
            else {_without_surrogates(name): _without_surrogates(value) for name, value in pairs}
        )
        if len(found) < len(pairs):
            self._repeated.append(found)
        return found


def _without_surrogates(value: Any) -> Any:
    """Return *value* without lone surrogates."""
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    return _SURROGATES.sub("\ufffd", value) if isinstance(value, str) and not value.isascii() else value


def _refuse(constant: str) -> float:
    raise ValueError(constant)


def _number(written: str) -> float:
    number = float(written)
    return number if math.isfinite(number) else _refuse(written)


def _whole(written: str) -> int | float:
    """Return the whole number *written*, as a float if it needs more than 64 bits."""
    number = int(written) if len(written) < len(str(_MAX_INT)) + 2 else _number(written)
    return number if -_MAX_INT <= number < _MAX_INT else float(number)
