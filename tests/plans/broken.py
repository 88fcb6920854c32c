"""The operator's hook with one mistake each; hooks of other projects have made all of them."""

import copy
import itertools
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import msgspec

from app.core.child_metadata import deployment_name
from app.core.desired.children import CHILDREN
from app.core.desired.desired_state import desired_state
from app.core.status.facts.previous_status import PreviousStatus
from metahook import Absence, Controller, Deployment, Manifest, Service, SyncRequest, SyncResponse
from metahook.simulator.hook import Hook
from metahook.simulator.objects import Json, with_metadata
from tests.plans.workloads import WATCHING
from tests.requests.watched_objects import WATCH
from toolkit import careless

Change = Callable[[SyncRequest, SyncResponse, datetime], SyncResponse]


def with_change(change: Change) -> Controller:
    """Return the operator's hook with this *change* of its response."""
    return Controller(
        lambda request, now: change(request, WATCHING.sync(request, now), now),
        CHILDREN,
        WATCHING.customize,
        optional_kinds=WATCHING.optional_kinds,
    )


def _with_template(answer: SyncResponse, **annotations: str) -> SyncResponse:
    """Return *answer* with these annotations in its Pod template."""
    return replace(answer, children=[_annotated(child, annotations) for child in answer.children])


def _annotated(child: Manifest, annotations: dict[str, str]) -> Manifest:
    if child["kind"] != "Deployment":
        return child
    template = with_metadata(child["spec"]["template"], annotations=annotations)
    return {**child, "spec": {**child["spec"], "template": template}}


def _previous(request: SyncRequest) -> Json:
    found: Json = msgspec.json.decode(request.parent.status) or {}
    return found


def env_of_a_set() -> Controller:
    """List variables in an order that differs from process to process, or from call to call."""
    turns = itertools.cycle([1, -1])

    def change(_: SyncRequest, answer: SyncResponse, __: datetime) -> SyncResponse:
        turn, children = next(turns), copy.deepcopy(answer.children)
        for child in children:
            for main in child["spec"].get("template", {}).get("spec", {}).get("containers", []):
                main["env"] = main.get("env", [])[::turn]
        return replace(answer, children=children)

    return with_change(change)


def time_in_a_child() -> Controller:
    """Write the time of the sync into a child."""
    return with_change(lambda _, answer, now: _with_template(answer, rendered=now.isoformat()))


def new_transition_times() -> Controller:
    """Set a new lastTransitionTime in every response."""

    def change(_: SyncRequest, answer: SyncResponse, now: datetime) -> SyncResponse:
        conditions = [{**each, "lastTransitionTime": now.isoformat()} for each in answer.status["conditions"]]
        return replace(answer, status={**answer.status, "conditions": conditions})

    return with_change(change)


def _with_ready(answer: SyncResponse, *, is_true: Callable[[], bool], **more: str) -> SyncResponse:
    """Return *answer* with Ready True, and *more* in that condition, if *is_true*."""
    if not is_true():
        return answer
    ready = {"status": "True", **more}
    conditions = [{**each, **(ready if each["type"] == "Ready" else {})} for each in answer.status["conditions"]]
    return replace(answer, status={**answer.status, "conditions": conditions})


def ready_once_and_for_all() -> Controller:
    """Leave Ready True once it was."""
    return with_change(lambda request, answer, _: _with_ready(answer, is_true=lambda: _was_ready(request)))


def _was_ready(request: SyncRequest) -> bool:
    return any((each["type"], each["status"]) == ("Ready", "True") for each in _previous(request).get("conditions", []))


def hides_a_loss() -> Controller:
    """Leave Ready True while no rollout is in progress."""

    def change(request: SyncRequest, answer: SyncResponse, _: datetime) -> SyncResponse:
        is_lost = [each["reason"] for each in answer.status["conditions"] if each["type"] == "Ready"] == [
            "ReplicasUnavailable"
        ]
        return _with_ready(answer, is_true=lambda: is_lost and _was_ready(request))

    return with_change(change)


def forgets_a_loss() -> Controller:
    """Set Ready to True again in the sync after the one that told a loss."""

    def change(request: SyncRequest, answer: SyncResponse, _: datetime) -> SyncResponse:
        told = [each["reason"] for each in _previous(request).get("conditions", []) if each["type"] == "Ready"]
        return _with_ready(answer, is_true=lambda: told == ["ReplicasUnavailable"])

    return with_change(change)


def times_of_the_parent() -> Controller:
    """Give Ready the time of the creation of the MyResource whenever it is True."""

    def change(request: SyncRequest, answer: SyncResponse, _: datetime) -> SyncResponse:
        is_true = any((each["type"], each["status"]) == ("Ready", "True") for each in answer.status["conditions"])
        return _with_ready(answer, is_true=lambda: is_true, lastTransitionTime=request.parent.created or "")

    return with_change(change)


def nothing_for_an_invalid_spec() -> Controller:
    """List no children when the spec is invalid."""
    return with_change(lambda _, answer, __: replace(answer, kept=[]))


def waits_for_what_is_related() -> Controller:
    """List no children when an expected related object is missing."""

    def change(request: SyncRequest, answer: SyncResponse, _: datetime) -> SyncResponse:
        made = request.children.all(Deployment) and len(answer.children) > 1
        missing = request.related.get(Service, request.parent.name) is Absence.MISSING
        return replace(answer, children=[]) if made and missing else answer

    return with_change(change)


def remembers_in_the_status() -> Controller:
    """Decide once, by the observed objects, and store the decision only in the status."""

    def change(request: SyncRequest, answer: SyncResponse, _: datetime) -> SyncResponse:
        found = "adopted" if request.children.all(Deployment) else "made"
        origin = _previous(request).get("origin", found)
        marked = _with_template(answer, origin=origin)
        return replace(marked, status={**answer.status, "origin": origin})

    return with_change(change)


def remembers_in_the_process() -> Controller:
    """Respond once for each generation, and assume that the response was applied."""
    done: set[tuple[str, int]] = set()

    def change(request: SyncRequest, answer: SyncResponse, _: datetime) -> SyncResponse:
        key = (request.parent.uid, request.parent.generation)
        if key in done:
            return replace(answer, children=[], kept=request.children.kept())
        done.add(key)
        return answer

    return with_change(change)


def names_that_are_drawn() -> Controller:
    """Name a child by a counter, and store the name only in the status."""
    numbers = itertools.count()

    def change(request: SyncRequest, answer: SyncResponse, _: datetime) -> SyncResponse:
        name = _previous(request).get("drawn") or f"web-{next(numbers)}"
        children = [with_metadata(child, name=name) for child in answer.children if child["kind"] == "Deployment"]
        return replace(answer, children=children, status={**answer.status, "drawn": name})

    return with_change(change)


def believes_every_parent() -> Controller:
    """Follow the observed spec, although the children show that it is out of date."""

    def change(request: SyncRequest, answer: SyncResponse, now: datetime) -> SyncResponse:
        deployment = request.children.get(Deployment, deployment_name(request.parent))
        previous = PreviousStatus(request.parent).readiness
        desired = desired_state(request, deployment, now, WATCH, previous=previous)
        return replace(answer, children=[*desired.children], kept=[*desired.kept])

    return with_change(change)


def counts_its_calls() -> Controller:
    """Write the number of calls into the status."""
    numbers = itertools.count()
    return with_change(lambda _, answer, __: replace(answer, status={**answer.status, "calls": next(numbers)}))


def versions_of_what_is_related() -> Hook:
    """Write the versions of related objects into the template, so that any change of them replaces Pods."""
    return careless.answering(careless.versions_of_the_pods, careless.pods_of_the_parent)


def generated_name() -> Hook:
    """Leave the name of a child to the API server."""
    return careless.answering(careless.generated_name)


def only_once() -> Hook:
    """List the child only while it does not exist, as a controller that creates it would."""
    return careless.answering(careless.only_once)
