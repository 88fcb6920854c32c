"""A controller: pure functions, and how a body becomes a response: decode, decide, check, encode.

The server calls ``handle_sync`` with a body. It decodes the request, has ``_checked_response`` call the author's
function and check its response, and returns the response, encoded, with a summary for the log. ``handle_finalize`` and
``handle_customize`` do so for the other two hooks, and ``decide`` for a unit test.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, ParamSpec, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from metahook.protocol.bodies import MalformedRequest, RelatedRule, RequestRule
from metahook.protocol.gate import (
    Kinds,
    RefusedResponse,
    check_children,
    check_customize,
    check_function,
    check_kept,
    check_managed,
    check_response,
    check_size,
    check_type,
    kinds_of,
)
from metahook.protocol.installation import Requirements, UpdateMethod
from metahook.protocol.objects import Kind, Manifest, Object
from metahook.protocol.purity import ImpureHook, impurity
from metahook.protocol.request import COMPOSITE, DECORATOR, Body, CustomizeRequest, Shape, SyncRequest
from metahook.protocol.request_builder import Api, example_request
from metahook.protocol.request_limits import TooMuchMemory
from metahook.protocol.response import (
    CustomizeResponse,
    DecoratorFinalizeResponse,
    DecoratorResponse,
    FinalizeResponse,
    Response,
    Summary,
    SyncResponse,
    ready_reason,
    short_fields,
)

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


class EncodedResponse(NamedTuple):
    """The body of a response, JSON, and its summary."""

    body: bytes
    summary: Summary


Handler = Callable[[Body, datetime], EncodedResponse]
"""Given a body and the current time, returns the response; raises as ``Controller.handle_sync`` does."""


class Controller(Struct, frozen=True, eq=False, dict=True):
    """The functions of a CompositeController, and the kinds of its children.

    ``sync(request, now)`` decides; *now* is its only clock. ``customize(request)`` selects related objects. Both are
    pure, and neither raises for what a user wrote: a user's mistake is a condition in the status. Raise
    MisusedController for arguments that can't be right.
    """

    sync: Callable[[SyncRequest, datetime], SyncResponse]
    children: tuple[type[Object], ...]
    customize: Callable[[CustomizeRequest], list[RelatedRule]] = _no_rules
    example_spec: Mapping[str, Any] = field(default_factory=dict)
    """A short spec of a parent, for the examples in the OpenAPI document."""
    reasons: frozenset[str] = frozenset()
    """The reasons of the condition Ready of a parent. The log and the metrics name these, and no others."""
    update_methods: Mapping[type[Object], UpdateMethod] = field(default_factory=dict)
    """How Metacontroller must update the children of a kind, if not InPlace; see ``SyncRequest.installation``."""
    lacks_default: Callable[[bytes], bool] = _lacks_none
    """Tells whether the spec of a parent (JSON) lacks a default of your CRD: then the one in the cluster is older."""
    optional_kinds: frozenset[type[Object]] = frozenset()
    """Those of ``children`` that the controller in a cluster need not list, such as one that your hook got after its
    first release: then a rollback of the controller loses no call. Ask ``request.children.manages`` for them."""
    finalize: Callable[[SyncRequest, datetime], FinalizeResponse] | None = None
    """Decides, in place of ``sync``, for a parent that is being deleted, or that its controller no longer selects."""
    parent: Kind | None = None
    """The kind of the parents. If it is in namespaces, a request whose parent is in none is refused."""
    selects_everywhere: bool = False
    """Let parents in a namespace select related objects outside of it. Never take a namespace from a user's spec:
    Metacontroller may read what the user may not."""
    quick: bool = False
    """Decide in the event loop of the server, which saves the cost of a thread: for functions that take less than a
    millisecond, and never wait. While one of them runs, the server does nothing else."""

    SHAPE: ClassVar[Shape] = COMPOSITE
    RESPONSES: ClassVar[tuple[type, type]] = (SyncResponse, FinalizeResponse)

    def __post_init__(self) -> None:
        """Raise MisusedController for arguments that can't be right."""
        check_function("sync", self.sync, "request", "now")
        check_function("customize", self.customize, "request")
        if self.finalize is not None:
            check_function("finalize", self.finalize, "request", "now")
        check_children(self.children, self.parent, self.optional_kinds)

    def request(
        self,
        parent: Manifest,
        children: Iterable[Manifest] = (),
        related: Mapping[type[Object], Iterable[Manifest]] | None = None,
        *,
        finalizing: bool = False,
    ) -> SyncRequest:
        """Return a request as Metacontroller would send it, for a unit test of ``sync`` or ``finalize``.

        The objects are as you would write them: a namespace, uid, generation or creation time that one lacks is added,
        but no namespace to what is cluster-scoped: such a parent is known by ``parent=``. *related* has the objects
        that rules select; a kind with none of them is missing, and one that is not a key was not selected.
        """
        is_namespaced = self.parent is None or self.parent.namespaced
        body = example_request(
            parent,
            self.children,
            children,
            related or {},
            is_namespaced=is_namespaced,
            finalizing=finalizing,
            api=self.api,
        )
        return SyncRequest.decode(body, self.children, shape=self.shape)

    def decide(self, request: SyncRequest, now: datetime) -> Any:  # noqa: ANN401 - of the types in RESPONSES
        """Return what ``sync``, or ``finalize`` if *request* is for it, decides, for a unit test.

        Raise RefusedResponse for a response that the service would refuse; and ImpureHook if it is another one the next
        time, with each sync, or an hour later without a resync.
        """
        if problem := impurity(self._checked_response, request, now):
            raise ImpureHook(problem)
        return self._checked_response(request, now)

    def _checked_response(self, request: SyncRequest, now: datetime) -> Any:  # noqa: ANN401 - of the types in RESPONSES
        function: Callable[[SyncRequest, datetime], Any] | None = self.finalize if request.finalizing else self.sync
        if function is None:
            raise MalformedRequest(RequestRule.NO_FINALIZE)
        response: Any = _returned(function, request, now)
        check_type(response, self.RESPONSES[request.finalizing], "finalize" if request.finalizing else "sync")
        listed = check_response(response, request.parent, self._kinds)
        if response.kept:
            check_kept(listed, request.children)
        if request.children.unmanaged:
            check_managed(listed, request.children)
        return response

    def handle_sync(self, body: Body, now: datetime) -> EncodedResponse:
        """Return the response to a sync request, JSON, and its summary.

        Raise MalformedRequest, RefusedResponse, or as ``sync`` does.
        """
        request = SyncRequest.decode(body, self.children, self.requirements, self.shape)
        if request.finalizing and self.finalize:
            raise MalformedRequest(RequestRule.FINALIZING)
        return self._encoded(request, now)

    def handle_finalize(self, body: Body, now: datetime) -> EncodedResponse:
        """Return the response to a finalize request, and its summary; raise as handle_sync does."""
        request = SyncRequest.decode(body, self.children, self.requirements, self.shape)
        if not request.finalizing:
            raise MalformedRequest(RequestRule.NOT_FINALIZING)
        return self._encoded(request, now)

    def handle_customize(self, body: Body, _: datetime | None = None) -> EncodedResponse:
        """Return the response to a customize request, and its summary; raise as handle_sync does."""
        request = CustomizeRequest.decode(body, self.shape)
        rules = _returned(self.customize, request)
        is_confined = self.shape.confines(request.parent.namespace)
        check_customize(rules, request.parent, is_confined=is_confined)
        summary = Summary(request.parent, ready_reason(request.parent.conditions, self.reasons), rules=len(rules))
        return EncodedResponse(check_size(CustomizeResponse(rules).encode()), summary)

    @cached_property
    def handlers(self) -> Mapping[str, Handler]:
        """What handles its hooks, by their names: sync, customize, and finalize if it is set."""
        handlers: dict[str, Handler] = {"sync": self.handle_sync, "customize": self.handle_customize}
        return {**handlers, "finalize": self.handle_finalize} if self.finalize else handlers

    @property
    def api(self) -> Api:
        """The API of Metacontroller that it is for."""
        return "decorator" if self.SHAPE is DECORATOR else "composite"

    @cached_property
    def shape(self) -> Shape:
        """How requests to it look."""
        namespaced = self.parent.namespaced if self.parent else None
        return replace(
            self.SHAPE,
            namespaced=namespaced,
            selects_everywhere=self.selects_everywhere,
            optional_kinds=self.optional_kinds,
        )

    def _encoded(self, request: SyncRequest, now: datetime) -> EncodedResponse:
        response = self._checked_response(request, now)
        return EncodedResponse(check_size(response.encode()), self._summary(request, response))

    def _summary(self, request: SyncRequest, response: Response) -> Summary:
        before = ready_reason(request.parent.conditions, self.reasons)
        return Summary(
            parent=request.parent,
            reason_before=before,
            reason=before if response.status is None else ready_reason(response.status.get("conditions"), self.reasons),
            children=len(response.children) + len(response.kept),
            kept=len(response.kept),
            findings=(*request.installation, *response.findings),
            is_decorator=self.SHAPE is DECORATOR,
            log=short_fields(response.log) if response.log else response.log,
        )

    @cached_property
    def _kinds(self) -> Kinds:
        return kinds_of(*self.children)

    @cached_property
    def requirements(self) -> Requirements:
        """What it requires of its installation."""
        methods = {struct.KIND: self.update_methods.get(struct, "InPlace") for struct in self.children}
        return Requirements(
            methods,
            self.customize is not _no_rules,
            self.lacks_default,
            has_finalize=self.finalize is not None,
            is_decorator=self.SHAPE is DECORATOR,
        )


class Decorator(Controller, frozen=True, eq=False, dict=True):
    """The functions of a DecoratorController, and the kinds of its attachments, which are ``children`` here.

    It adds to objects that others made: in ``request.parent`` is such an object. ``sync`` returns a DecoratorResponse,
    and ``finalize`` a DecoratorFinalizeResponse. All else is as in a Controller.
    """

    sync: Callable[[SyncRequest, datetime], DecoratorResponse]  # type: ignore[assignment] # another response
    finalize: Callable[[SyncRequest, datetime], DecoratorFinalizeResponse] | None = None  # type: ignore[assignment] # too

    SHAPE: ClassVar[Shape] = DECORATOR
    RESPONSES: ClassVar[tuple[type, type]] = (DecoratorResponse, DecoratorFinalizeResponse)


def _returned(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return what *function*, of the hook's author, returns; raise what it raises."""
    try:
        return function(*args, **kwargs)
    except TooMuchMemory:  # of what the function looks at: the text is ours
        raise
    except (MalformedRequest, RefusedResponse) as error:
        # The server sends or logs the texts of these two, and this one may hold what a user wrote.
        raise MisusedException(error).with_traceback(error.__traceback__) from None
