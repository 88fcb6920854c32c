"""Reads the hook's responses with the checks that Metacontroller makes, and without those that it does not.

Source: Metacontroller 4.17, pkg/hooks/webhook.go, strict mode: unknown and repeated fields are an error, an empty
response is not. JSON is decoded as by sigs.k8s.io/json.
"""

import functools
import json
import math
import re
from dataclasses import dataclass, field
from typing import Any

from metahook.protocol.wire import RelatedRule
from metahook.simulator.apiserver.field_types import IDENTITY_FIELDS, LABELS, STRING, STRINGS
from metahook.simulator.apiserver.schema import DEEPEST, json_problem, list_of, nested_values, object_of, scalar
from metahook.simulator.hook import Reply
from metahook.simulator.objects import Json

_SURROGATES = re.compile("[\ud800-\udfff]")
_MAX_INT = 2**63


class DecodedJson:
    """The ``value`` of the JSON *body* as Go decodes it; raise ValueError. Lone surrogates become U+FFFD."""

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
            if any(inner is repeated for inner in level for repeated in self._repeated):
                return True
            level = [inner for outer in level for inner in nested_values(outer)]
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


_OK = 200
_TOO_MANY = 429
_EXCLUSIVE = ({"names", "labelSelector"}, {"names", "namespaceSelector"}, {"namespace", "namespaceSelector"})
"""Fields that exclude each other in a rule."""
OPERATORS = {"In": True, "NotIn": True, "Exists": False, "DoesNotExist": False}
"""The operators of a label selector, and whether they take values."""
_EXPRESSION = object_of(
    {"key": STRING, "operator": scalar("an operator", lambda value: value in list(OPERATORS)), "values": STRINGS},
    required=("key", "operator"),
    closed=True,
)
_SELECTOR = object_of({"matchLabels": LABELS, "matchExpressions": list_of(_EXPRESSION)}, closed=True)
_TEXTS = ("apiVersion", "resource", "namespace")
_RULE = object_of(
    {**dict.fromkeys(_TEXTS, STRING), "names": STRINGS, "labelSelector": _SELECTOR, "namespaceSelector": _SELECTOR},
    closed=True,
)
_CHILD = object_of({"metadata": object_of(IDENTITY_FIELDS)})


class InvalidResponse(Exception):
    """Raised for a response that can't be used: the sync fails, and is retried with backoff."""


class TooManyRequests(Exception):
    """Raised for a 429; *seconds* is its Retry-After, or 0."""

    def __init__(self, seconds: float) -> None:
        super().__init__("the hook has too many requests")
        self.seconds = seconds


class Crash(Exception):
    """Raised for a response that crashes Metacontroller."""


@dataclass(frozen=True)
class Response:
    """A response to sync. An empty list of children deletes all of them."""

    status: Json = field(default_factory=dict)
    children: list[Json] = field(default_factory=list)
    resync_after: float = 0


@functools.lru_cache  # most responses repeat the previous one
def read_sync(reply: Reply) -> Response:
    """Return the response in *reply*, to be treated as read-only; raise TooManyRequests, InvalidResponse or Crash."""
    found, decoded = _object(
        reply, {"status": (dict,), "children": (list,), "resyncAfterSeconds": (int, float), "finalized": (bool,)}
    )
    status, children = found.get("status") or {}, found.get("children") or []
    if decoded.repeats(status):
        raise InvalidResponse("the status in the response has a field twice")
    if any(item is not None and not _has_kind(item) for item in children):
        raise InvalidResponse("a child in the response has no kind")
    if None in children:
        raise Crash("a child in the response is null: invalid memory address or nil pointer dereference")
    for place, child in enumerate(children):
        _raise_if(_CHILD(child, f"children[{place}]"))
    named = [{**item, "metadata": item.get("metadata") or {}} for item in children]
    return Response(status, named, found.get("resyncAfterSeconds") or 0)


def read_customize(reply: Reply) -> list[RelatedRule]:
    """Return the rules in *reply*; raise TooManyRequests or InvalidResponse."""
    found, decoded = _object(reply, {"relatedResources": (list,)})
    rules: list[Any] = found.get("relatedResources") or []
    if decoded.repeats(rules):
        raise InvalidResponse("a rule for related objects has a field twice")
    for place, rule in enumerate(rules):
        _raise_if(_RULE(rule, f"relatedResources[{place}]"))
        _check_rule(rule)
    return rules


def _check_rule(rule: Json) -> None:
    """Raise InvalidResponse if fields of *rule* exclude each other."""
    here = {name for name in ("names", "namespace") if rule.get(name)}
    here |= {name for name in ("labelSelector", "namespaceSelector") if rule.get(name) is not None}
    for pair in _EXCLUSIVE:
        if pair <= here:
            raise InvalidResponse(f"a rule for related objects has both {' and '.join(sorted(pair))}")
    if "namespaceSelector" in here:
        raise InvalidResponse(
            "a rule for related objects has a namespaceSelector, which the simulator does not support"
        )
    for expression in (rule.get("labelSelector") or {}).get("matchExpressions") or []:
        if bool(expression.get("values")) != OPERATORS[expression["operator"]]:
            raise InvalidResponse(
                "a selector has an operator without values, or values for an operator that takes none"
            )


def _object(reply: Reply, known: dict[str, tuple[type, ...]]) -> tuple[Json, DecodedJson]:
    """Return the object in *reply*, whose fields must be *known* and have their types, or be null."""
    if reply.status == _TOO_MANY:
        raise TooManyRequests(reply.retry_after or 0)
    if reply.status != _OK:
        raise InvalidResponse(f"unsupported status code: {reply.status}")
    decoded = _decoded(reply.body)
    if decoded.value is not None and not isinstance(decoded.value, dict):
        raise InvalidResponse("the response is not an object")
    found: Json = decoded.value or {}
    if decoded.repeats(found, levels=0):
        raise InvalidResponse("the response has a field twice")
    for name, value in found.items():
        if name not in known:
            raise InvalidResponse("the response has an unknown field")
        if value is not None and type(value) not in known[name]:
            raise InvalidResponse(f"the response has a field of another type: {name}")
    return found, decoded


def _decoded(body: bytes) -> DecodedJson:
    try:
        return DecodedJson(body)
    except ValueError:
        raise InvalidResponse("the response is not JSON, or nested too deeply") from None


def _raise_if(error: str | None) -> None:
    if error is not None:
        raise InvalidResponse(error)


def _has_kind(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("kind"), str) and bool(item["kind"])
