"""Reads the hook's responses with the checks that Metacontroller makes, and without those that it does not.

Source: Metacontroller 4.17, pkg/hooks/webhook.go. In strict mode unknown and repeated fields are an error; an empty
response never is. JSON is decoded as by sigs.k8s.io/json.
"""

import functools
import json
import math
import re
from typing import Any

from msgspec import Struct, field

from metahook.protocol.bodies import RelatedRule
from metahook.protocol.request_builder import Api
from metahook.simulator.apiserver.built_in_kinds import (
    DEEPEST,
    LABELS,
    STRINGS,
    Type,
    json_problem,
    nested_values,
    undeclared_fields,
)
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.hook import Reply
from metahook.simulator.metacontroller.settings import OPERATORS, STRICT, HookSettings, InvalidSelector, check_selector
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
_EXPRESSION: Json = {
    "fields": {"key": "string", "operator": {"enum": [*OPERATORS]}, "values": STRINGS},
    "required": ["key", "operator"],
}
_SELECTOR: Json = {"fields": {"matchLabels": LABELS, "matchExpressions": {"items": _EXPRESSION}}}
_RULE: Json = {
    "fields": {
        **dict.fromkeys(("apiVersion", "resource", "namespace"), "string"),
        "names": STRINGS,
        **dict.fromkeys(("labelSelector", "namespaceSelector"), _SELECTOR),
    }
}
_IDENTITY: Json = {"fields": {**dict.fromkeys(("name", "namespace", "generateName"), "string"), "labels": LABELS}}
_CHILD: Json = {"fields": {"metadata": _IDENTITY}}


class InvalidResponse(Exception):
    """Raised for a response that can't be used: the sync fails, and is retried with backoff."""


class TooManyRequests(Exception):
    """Raised for a 429; *seconds* is its Retry-After, or 0."""

    def __init__(self, seconds: float) -> None:
        super().__init__("the hook has too many requests")
        self.seconds = seconds


class Crash(Exception):
    """Raised for a response that crashes Metacontroller."""


class Response(Struct, frozen=True):
    """A response to sync or finalize. An empty list of children deletes all of them.

    ``labels`` and ``annotations`` are those that a decorator sets on its object; None removes one. Without a ``status``
    that of a decorated object stays as it is, and that of another parent is emptied.
    """

    status: Json | None = None
    children: list[Json] = field(default_factory=list)
    resync_after: float = 0
    finalized: bool = False
    labels: dict[str, str | None] = field(default_factory=dict)
    annotations: dict[str, str | None] = field(default_factory=dict)


_CHILDREN: dict[Api, str] = {"composite": "children", "decorator": "attachments"}
_FIELDS: dict[Api, dict[str, tuple[type, ...]]] = {
    api: {"status": (dict,), children: (list,), "resyncAfterSeconds": (int, float), "finalized": (bool,)}
    for api, children in _CHILDREN.items()
}
_FIELDS["decorator"] |= {"labels": (dict,), "annotations": (dict,)}


@functools.lru_cache  # most responses repeat the previous one
def read_sync(reply: Reply, hook: HookSettings = STRICT, api: Api = "composite") -> Response:
    """Return the response in *reply*, to be treated as read-only; raise TooManyRequests, InvalidResponse or Crash."""
    found, decoded = _object(reply, _FIELDS[api], hook)
    status, children = found.get("status"), found.get(_CHILDREN[api]) or []
    if not hook.loose and decoded.repeats(status or {}):
        raise InvalidResponse("the status in the response has a field twice")
    if any(item is not None and not _has_kind(item) for item in children):
        raise InvalidResponse("a child in the response has no kind")
    if None in children:
        raise Crash("a child in the response is null: invalid memory address or nil pointer dereference")
    for place, child in enumerate(children):
        _undeclared(child, _CHILD, f"{_CHILDREN[api]}[{place}]")
    named = [{**item, "metadata": item.get("metadata") or {}} for item in children]
    marks = {name: found.get(name) or {} for name in ("labels", "annotations") if api == "decorator"}
    for name, values in marks.items():
        _undeclared(values, LABELS, name)
    return Response(status, named, found.get("resyncAfterSeconds") or 0, found.get("finalized") is True, **marks)


def read_customize(reply: Reply, hook: HookSettings = STRICT) -> list[RelatedRule]:
    """Return the rules in *reply*; raise TooManyRequests or InvalidResponse."""
    found, decoded = _object(reply, {"relatedResources": (list,)}, hook)
    rules: list[Any] = found.get("relatedResources") or []
    if not hook.loose and decoded.repeats(rules):
        raise InvalidResponse("a rule for related objects has a field twice")
    for place, rule in enumerate(rules):
        path = f"relatedResources[{place}]"
        if _undeclared(rule, _RULE, path) and not hook.loose:
            raise InvalidResponse(f"{path}: unknown field")
        _check_rule(rule)
    return rules


def _check_rule(rule: Json) -> None:
    """Raise InvalidResponse if fields of *rule* exclude each other."""
    here = {name for name in ("names", "namespace") if rule.get(name)}
    here |= {name for name in ("labelSelector", "namespaceSelector") if rule.get(name) is not None}
    for pair in _EXCLUSIVE:
        if pair <= here:
            raise InvalidResponse(f"a rule for related objects has both {' and '.join(sorted(pair))}")
    for name in ("labelSelector", "namespaceSelector"):
        try:
            check_selector(rule.get(name) or {})
        except InvalidSelector as error:
            raise InvalidResponse(str(error)) from None


def _object(reply: Reply, known: dict[str, tuple[type, ...]], hook: HookSettings) -> tuple[Json, DecodedJson]:
    """Return the object in *reply*, whose fields have the *known* types, or are null; others depend on the *hook*."""
    if reply.status == _TOO_MANY:
        raise TooManyRequests(reply.retry_after or 0)
    if reply.status != _OK:
        raise InvalidResponse(f"unsupported status code: {reply.status}")
    decoded = _decoded(reply.body)
    if decoded.value is not None and not isinstance(decoded.value, dict):
        raise InvalidResponse("the response is not an object")
    found: Json = decoded.value or {}
    if not hook.loose and decoded.repeats(found, levels=0):
        raise InvalidResponse("the response has a field twice")
    for name, value in found.items():
        if name not in known and not hook.loose:
            raise InvalidResponse("the response has an unknown field")
        if value is not None and type(value) not in known.get(name, (type(value),)):
            raise InvalidResponse(f"the response has a field of another type: {name}")
    return found, decoded


def _decoded(body: bytes) -> DecodedJson:
    try:
        return DecodedJson(body)
    except ValueError:
        raise InvalidResponse("the response is not JSON, or nested too deeply") from None


def _undeclared(value: Any, type_: Type, path: str) -> list[str]:
    """Return the fields of *value*, at *path*, that *type_* does not declare; raise InvalidResponse."""
    try:
        return undeclared_fields(value, type_, path)
    except ApiError as error:
        raise InvalidResponse(str(error)) from None


def _has_kind(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("kind"), str) and bool(item["kind"])
