"""A controller: two pure functions, and how a body becomes a response: decode, decide, check, encode."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple, ParamSpec, TypeVar

from metahook.protocol.extent import TooMuchMemory
from metahook.protocol.gate import (
    Kinds,
    RefusedResponse,
    check_customize,
    check_kept,
    check_size,
    check_sync,
    kinds_of,
)
from metahook.protocol.installation import Requirements, UpdateMethod
from metahook.protocol.malformed import MalformedRequest
from metahook.protocol.manifest import Manifest
from metahook.protocol.objects import Object
from metahook.protocol.request import Body, CustomizeRequest, SyncRequest
from metahook.protocol.response import CustomizeResponse, SyncResponse
from metahook.protocol.sender import example_request
from metahook.protocol.summary import Summary, decided_reason, observed_reason
from metahook.protocol.wire import RelatedRule

P = ParamSpec("P")
R = TypeVar("R")


class MisusedException(Exception):
    """Raised in place of a MalformedRequest or RefusedResponse that sync or customize raises; its text names which."""

    def __init__(self, error: Exception) -> None:
        super().__init__(f"{type(error).__name__} is for metahook alone to raise")


def _no_rules(_: CustomizeRequest) -> list[RelatedRule]:
    return []


def _lacks_none(_: bytes) -> bool:
    return False


class Answer(NamedTuple):
    """The body of a response, JSON, and its summary."""

    body: bytes
    summary: Summary


Hook = Callable[[Body, datetime], Answer]
"""Answers the body of a request at a time; raises MalformedRequest."""


@dataclass(frozen=True)
class Controller:
    """The functions of a controller, and the kinds of its children.

    ``sync(request, now)`` decides; *now* is its only clock. ``customize(request)`` selects related objects. Both are
    pure, and neither raises for what a user wrote: a user's mistake is a condition in the status.
    """

    sync: Callable[[SyncRequest, datetime], SyncResponse]
    children: tuple[type[Object], ...]
    customize: Callable[[CustomizeRequest], list[RelatedRule]] = _no_rules
    example_spec: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """A short spec of a parent, for the examples in the OpenAPI document."""
    reasons: frozenset[str] = frozenset()
    """The reasons of the condition Ready of a parent. The log and the metrics name these, and no others."""
    update_methods: Mapping[type[Object], UpdateMethod] = field(default_factory=dict, hash=False)
    """How Metacontroller must update the children of a kind, if not InPlace; see ``SyncRequest.installation``."""
    lacks_default: Callable[[bytes], bool] = _lacks_none
    """Tells whether the spec of a parent (JSON) lacks a default of your CRD: then the one in the cluster is older."""

    def request(
        self,
        parent: Manifest,
        children: Iterable[Manifest] = (),
        related: Mapping[type[Object], Iterable[Manifest]] | None = None,
    ) -> SyncRequest:
        """Return a sync request as Metacontroller would send it, for a unit test of ``sync``.

        The objects are as you would write them: a namespace, uid, generation or creation time that one lacks is added.
        *related* has the objects that rules select; a kind with none of them is missing, and one that is not a key was
        not selected.
        """
        return SyncRequest.decode(example_request(parent, self.children, children, related or {}), self.children)

    def answer_sync(self, body: Body, now: datetime) -> bytes:
        """Return the response to a sync request, both JSON; raise MalformedRequest, RefusedResponse or as sync does."""
        return self.call_sync(body, now).body

    def answer_customize(self, body: Body) -> bytes:
        """Return the response to a customize request, both JSON; raise as answer_sync does."""
        return self.call_customize(body).body

    def call_sync(self, body: Body, now: datetime) -> Answer:
        """Return the response to a sync request, and its summary; raise as answer_sync does."""
        request = SyncRequest.decode(body, self.children, self.requirements)
        response = _decided(self.sync, request, now)
        check_sync(response, request.parent, self._kinds)
        check_kept(response, request.children)
        return Answer(check_size(response.encode()), self._summary(request, response))

    def call_customize(self, body: Body) -> Answer:
        """Return the response to a customize request, and its summary; raise as answer_sync does."""
        request = CustomizeRequest.decode(body)
        rules = _decided(self.customize, request)
        check_customize(rules, request.parent)
        summary = Summary(request.parent, observed_reason(request.parent, self.reasons), rules=len(rules))
        return Answer(check_size(CustomizeResponse(rules).encode()), summary)

    def _summary(self, request: SyncRequest, response: SyncResponse) -> Summary:
        return Summary(
            parent=request.parent,
            reason_before=observed_reason(request.parent, self.reasons),
            reason=decided_reason(response.status, self.reasons),
            children=len(response.children) + len(response.kept),
            kept=len(response.kept),
            findings=(*request.installation, *response.findings),
        )

    @cached_property
    def _kinds(self) -> Kinds:
        return kinds_of(*self.children)

    @cached_property
    def requirements(self) -> Requirements:
        """What it requires of its installation."""
        methods = {struct.KIND: self.update_methods.get(struct, "InPlace") for struct in self.children}
        return Requirements(methods, self.customize is not _no_rules, self.lacks_default)


def _decided(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return what *function*, of the hook's author, returns; raise what it raises."""
    try:
        return function(*args, **kwargs)
    except TooMuchMemory:  # of what the function looks at: the text is ours
        raise
    except (MalformedRequest, RefusedResponse) as error:
        # The server sends or logs the texts of these two, and this one may hold what a user wrote.
        raise MisusedException(error).with_traceback(error.__traceback__) from None
