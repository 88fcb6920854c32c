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
    found = _object(reply, {"status", "children", "resyncAfterSeconds", "finalized"})
    children, again = found.get("children") or [], found.get("resyncAfterSeconds") or 0
    if not isinstance(again, int | float) or not isinstance(found.get("status") or {}, dict):
        raise BadAnswer("the answer has a field of another type")
    if not isinstance(children, list) or any(item is not None and not _typed(item) for item in children):
        raise BadAnswer("a child in the answer has no kind")
    if None in children:
        raise Crash("a child in the answer is null: invalid memory address or nil pointer dereference")
    return Answer(found.get("status") or {}, children, again)


def read_customize(reply: Reply) -> list[RelatedRule]:
    """Return the rules in *reply*; raise TooMany or BadAnswer."""
    rules: list[RelatedRule] = _object(reply, {"relatedResources"}).get("relatedResources") or []
    for rule in rules:
        if "names" in rule and "labelSelector" in rule:
            raise BadAnswer("a rule for related objects has both names and a labelSelector")
    return rules


def _object(reply: Reply, known: set[str]) -> Json:
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
    unknown = (found or {}).keys() - known
    if unknown:
        raise BadAnswer("the answer has an unknown field")
    return found or {}


def _typed(item: object) -> bool:
    return isinstance(item, dict) and bool(item.get("apiVersion")) and bool(item.get("kind"))
