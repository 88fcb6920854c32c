"""Reads what a hook answers, just as strictly, and as carelessly, as Metacontroller does.

Source: Metacontroller 4.17, pkg/hooks/webhook.go, strict mode: unknown fields are an error, an empty answer is not.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from app.hooks import RelatedRule
from app.simulator.hook import Reply
from app.simulator.objects import Json

_OK = 200
_TOO_MANY = 429
_RULE = {"apiVersion", "resource", "namespace", "names", "labelSelector", "namespaceSelector"}


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


def read_sync(reply: Reply) -> Answer:
    """Return the answer in *reply*; raise TooMany, BadAnswer or Crash."""
    found = _object(
        reply, {"status": (dict,), "children": (list,), "resyncAfterSeconds": (int, float), "finalized": (bool,)}
    )
    children = found.get("children") or []
    if any(item is not None and not _typed(item) for item in children):
        raise BadAnswer("a child in the answer has no kind")
    if None in children:
        raise Crash("a child in the answer is null: invalid memory address or nil pointer dereference")
    named = [{**item, "metadata": item.get("metadata") or {}} for item in children]
    return Answer(found.get("status") or {}, named, found.get("resyncAfterSeconds") or 0)


def read_customize(reply: Reply) -> list[RelatedRule]:
    """Return the rules in *reply*; raise TooMany or BadAnswer."""
    rules: list[Any] = _object(reply, {"relatedResources": (list,)}).get("relatedResources") or []
    for rule in rules:
        if not isinstance(rule, dict) or rule.keys() - _RULE:
            raise BadAnswer("a rule for related objects is no object, or has an unknown field")
        if rule.get("names") and rule.get("labelSelector") is not None:
            raise BadAnswer("a rule for related objects has both names and a labelSelector")
    return rules


def _object(reply: Reply, known: dict[str, tuple[type, ...]]) -> Json:
    """Return the object in *reply*, which may have the fields that are *known*, of their types, or null."""
    if reply.status == _TOO_MANY:
        raise TooMany(reply.retry_after or 0)
    if reply.status != _OK:
        raise BadAnswer(f"unsupported status code: {reply.status}")
    try:
        found: Any = json.loads(reply.body)
    except ValueError:
        raise BadAnswer("the answer is not JSON") from None
    if found is not None and not isinstance(found, dict):
        raise BadAnswer("the answer is not an object")
    for name, value in (found or {}).items():
        if name not in known:
            raise BadAnswer("the answer has an unknown field")
        if value is not None and type(value) not in known[name]:
            raise BadAnswer(f"the answer has a field of another type: {name}")
    return found or {}


def _typed(item: object) -> bool:
    return isinstance(item, dict) and bool(item.get("apiVersion")) and bool(item.get("kind"))
