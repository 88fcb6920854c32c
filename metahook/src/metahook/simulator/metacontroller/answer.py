"""Reads what a hook answers, just as strictly, and as carelessly, as Metacontroller does.

Source: Metacontroller 4.17, pkg/hooks/webhook.go, strict mode: unknown and repeated fields are an error, an empty
answer is not.
"""

import functools
from dataclasses import dataclass, field
from typing import Any

from metahook.protocol import RelatedRule
from metahook.simulator.apiserver.shape import fields, items, leaf
from metahook.simulator.apiserver.typed import LABELS, NAMES, TEXT, TEXTS
from metahook.simulator.hook import Reply
from metahook.simulator.metacontroller.decode import Decoded
from metahook.simulator.objects import Json

_OK = 200
_TOO_MANY = 429
_APART = ({"names", "labelSelector"}, {"names", "namespaceSelector"}, {"namespace", "namespaceSelector"})
"""What a rule can't have both of."""
OPERATORS = {"In": True, "NotIn": True, "Exists": False, "DoesNotExist": False}
"""How a label is compared, and whether that takes values."""
_EXPRESSION = fields(
    {"key": TEXT, "operator": leaf("an operator", lambda value: value in list(OPERATORS)), "values": TEXTS},
    required=("key", "operator"),
    closed=True,
)
_SELECTOR = fields({"matchLabels": LABELS, "matchExpressions": items(_EXPRESSION)}, closed=True)
_TEXTS = ("apiVersion", "resource", "namespace")
_RULE = fields(
    {**dict.fromkeys(_TEXTS, TEXT), "names": TEXTS, "labelSelector": _SELECTOR, "namespaceSelector": _SELECTOR},
    closed=True,
)
_CHILD = fields({"metadata": fields(NAMES)})


class BadAnswer(Exception):
    """Raised for an answer that can't be used; the sync ends, and is tried again later."""


class TooMany(Exception):
    """Raised for a 429; *seconds* is what its Retry-After asks for, or 0."""

    def __init__(self, seconds: float) -> None:
        super().__init__("the hook has too much to do")
        self.seconds = seconds


class Crash(Exception):
    """Raised for an answer that ends the process of Metacontroller."""


@dataclass(frozen=True)
class Answer:
    """A hook's answer to sync. No children listed means that none shall live."""

    status: Json = field(default_factory=dict)
    children: list[Json] = field(default_factory=list)
    resync_after: float = 0


@functools.lru_cache  # most answers are the one before, once more
def read_sync(reply: Reply) -> Answer:
    """Return the answer in *reply*, which nobody changes; raise TooMany, BadAnswer or Crash."""
    found, decoded = _object(
        reply, {"status": (dict,), "children": (list,), "resyncAfterSeconds": (int, float), "finalized": (bool,)}
    )
    status, children = found.get("status") or {}, found.get("children") or []
    if decoded.repeats(status):
        raise BadAnswer("the status in the answer has a field twice")
    if any(item is not None and not _has_kind(item) for item in children):
        raise BadAnswer("a child in the answer has no kind")
    if None in children:
        raise Crash("a child in the answer is null: invalid memory address or nil pointer dereference")
    for place, child in enumerate(children):
        _refuse(_CHILD(child, f"children[{place}]"))
    named = [{**item, "metadata": item.get("metadata") or {}} for item in children]
    return Answer(status, named, found.get("resyncAfterSeconds") or 0)


def read_customize(reply: Reply) -> list[RelatedRule]:
    """Return the rules in *reply*; raise TooMany or BadAnswer."""
    found, decoded = _object(reply, {"relatedResources": (list,)})
    rules: list[Any] = found.get("relatedResources") or []
    if decoded.repeats(rules):
        raise BadAnswer("a rule for related objects has a field twice")
    for place, rule in enumerate(rules):
        _refuse(_RULE(rule, f"relatedResources[{place}]"))
        _check_rule(rule)
    return rules


def _check_rule(rule: Json) -> None:
    """Raise BadAnswer if the parts of *rule* don't go together."""
    here = {name for name in ("names", "namespace") if rule.get(name)}
    here |= {name for name in ("labelSelector", "namespaceSelector") if rule.get(name) is not None}
    for pair in _APART:
        if pair <= here:
            raise BadAnswer(f"a rule for related objects has both {' and '.join(sorted(pair))}")
    if "namespaceSelector" in here:
        raise BadAnswer("a rule for related objects has a namespaceSelector, and the simulator knows no Namespaces")
    for each in (rule.get("labelSelector") or {}).get("matchExpressions") or []:
        if bool(each.get("values")) != OPERATORS[each["operator"]]:
            raise BadAnswer("a selector has an operator without its values, or values for one that has none")


def _object(reply: Reply, known: dict[str, tuple[type, ...]]) -> tuple[Json, Decoded]:
    """Return the object in *reply*, which may have the fields that are *known*, of their types, or null."""
    if reply.status == _TOO_MANY:
        raise TooMany(reply.retry_after or 0)
    if reply.status != _OK:
        raise BadAnswer(f"unsupported status code: {reply.status}")
    decoded = _decoded(reply.body)
    if decoded.value is not None and not isinstance(decoded.value, dict):
        raise BadAnswer("the answer is not an object")
    found: Json = decoded.value or {}
    if decoded.repeats(found, levels=0):
        raise BadAnswer("the answer has a field twice")
    for name, value in found.items():
        if name not in known:
            raise BadAnswer("the answer has an unknown field")
        if value is not None and type(value) not in known[name]:
            raise BadAnswer(f"the answer has a field of another type: {name}")
    return found, decoded


def _decoded(body: bytes) -> Decoded:
    try:
        return Decoded(body)
    except ValueError:
        raise BadAnswer("the answer is not JSON, or nested too deeply") from None


def _refuse(why: str | None) -> None:
    if why is not None:
        raise BadAnswer(why)


def _has_kind(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("kind"), str) and bool(item["kind"])
