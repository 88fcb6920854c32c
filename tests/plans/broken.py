"""The operator's hook with one mistake each; hooks of other projects have made all of them."""

import itertools
from collections.abc import Callable
from datetime import datetime

import msgspec
from msgspec.structs import replace

from app.core.desired.children import CHILDREN
from metahook import Absence, Controller, Deployment, Service, SyncRequest, SyncResponse
from metahook.simulator.objects import Json
from tests.plans.workloads import WATCHING

Change = Callable[[SyncRequest, SyncResponse, datetime], SyncResponse]


def with_change(change: Change) -> Controller:
    """Return the operator's hook with this *change* of its response."""
    return Controller(
        lambda request, now: change(request, WATCHING.sync(request, now), now),
        CHILDREN,
        WATCHING.customize,
        optional_kinds=WATCHING.optional_kinds,
    )


def _ready(status: Json) -> Json:
    """Return the condition Ready; empty without one."""
    return next((each for each in status.get("conditions", []) if each["type"] == "Ready"), {})


def _previous(request: SyncRequest) -> Json:
    """Return the condition Ready of the status in the request."""
    return _ready(msgspec.json.decode(request.parent.status) or {})


def _with_ready(answer: SyncResponse, *, is_true: bool, **more: str) -> SyncResponse:
    """Return *answer* with Ready True, and *more* in that condition, if *is_true*."""
    ready = {"status": "True", **more} if is_true else {}
    conditions = [{**each, **(ready if each["type"] == "Ready" else {})} for each in answer.status["conditions"]]
    return replace(answer, status={**answer.status, "conditions": conditions})


def _was_ready(request: SyncRequest) -> bool:
    return bool(_previous(request).get("status") == "True")


def ready_once_and_for_all() -> Controller:
    """Leave Ready True once it was."""
    return with_change(lambda request, answer, _: _with_ready(answer, is_true=_was_ready(request)))


def hides_a_loss() -> Controller:
    """Leave Ready True while no rollout is in progress."""

    def change(request: SyncRequest, answer: SyncResponse, _: datetime) -> SyncResponse:
        is_lost = _ready(answer.status).get("reason") == "ReplicasUnavailable"
        return _with_ready(answer, is_true=is_lost and _was_ready(request))

    return with_change(change)


def forgets_a_loss() -> Controller:
    """Set Ready to True again in the sync after the one that told a loss."""

    def change(request: SyncRequest, answer: SyncResponse, _: datetime) -> SyncResponse:
        return _with_ready(answer, is_true=_previous(request).get("reason") == "ReplicasUnavailable")

    return with_change(change)


def times_of_the_parent() -> Controller:
    """Give Ready the time of the creation of the MyResource whenever it is True."""

    def change(request: SyncRequest, answer: SyncResponse, _: datetime) -> SyncResponse:
        is_true = _ready(answer.status).get("status") == "True"
        return _with_ready(answer, is_true=is_true, lastTransitionTime=request.parent.created or "")

    return with_change(change)


def waits_for_what_is_related() -> Controller:
    """List no children when an expected related object is missing."""

    def change(request: SyncRequest, answer: SyncResponse, _: datetime) -> SyncResponse:
        made = request.children.all(Deployment) and len(answer.children) > 1
        missing = request.related.get(Service, request.parent.name) is Absence.MISSING
        return replace(answer, children=[]) if made and missing else answer

    return with_change(change)


def counts_its_calls() -> Controller:
    """Write the number of calls into the status."""
    numbers = itertools.count()
    return with_change(lambda _, answer, __: replace(answer, status={**answer.status, "calls": next(numbers)}))
