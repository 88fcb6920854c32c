"""Decorators: what they add to the objects of others; and how finalize ends both kinds of controllers."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from metahook import (
    Controller,
    DecoratorFinalizeResponse,
    DecoratorResponse,
    FinalizeResponse,
    MalformedRequest,
    RefusedResponse,
    Service,
    SyncRequest,
    SyncResponse,
)
from metahook.protocol.request_builder import Version, customize_request, sync_request
from toolkit.hooks.minimal import PARENT, TINY, sync_body
from toolkit.hooks.service_per_object import LABEL, SERVICES, service, stateful_set
from toolkit.hooks.tenant import TENANTS, tenant

Json = dict[str, Any]
NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
OBJECT = stateful_set()
MADE = {**service("db"), "metadata": {"name": "db", "namespace": "default"}}


def body(*services: Json, finalizing: bool = False, version: Version = "v2") -> bytes:
    attached = {"Service.v1": {f"default/{item['metadata']['name']}": item for item in services}}
    return sync_request(OBJECT, attached, {}, finalizing=finalizing, version=version, api="decorator")


def answer(controller: Controller, sent: bytes) -> Json:
    found: Json = msgspec.json.decode(controller.handle_sync(sent, NOW).body)
    return found


def deciding(response: DecoratorResponse) -> Controller:
    return replace(SERVICES, sync=lambda _, __: response)


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_a_decorator_reads_the_object_and_its_attachments(version: Version) -> None:
    sent = body(MADE, version=version)
    request = SyncRequest.decode(sent, (Service,), shape=SERVICES.shape)

    assert (request.parent.name, request.parent.kind, request.parent.generation) == ("db", "StatefulSet", 0)
    assert request.children.get(Service, "db") is not None
    assert (b'"default/db"' in sent) is (version == "v2")
    assert not {b'"parent"', b'"children"'} & set(sent.split(b":"))


def test_a_decorator_sends_attachments_and_what_to_set_on_the_object() -> None:
    assert answer(SERVICES, body()) == {"attachments": [service("db")], "labels": {LABEL: "true"}}


def test_a_decorator_says_nothing_of_a_status_unless_it_sets_one() -> None:
    assert answer(deciding(DecoratorResponse()), body()) == {"attachments": []}
    full = DecoratorResponse(annotations={"a": None}, status={"state": "Ready"}, resync_after=60)
    assert answer(deciding(full), body()) == {
        "attachments": [],
        "annotations": {"a": None},
        "status": {"state": "Ready"},
        "resyncAfterSeconds": 60,
    }


def test_an_object_whose_status_stays_makes_no_transition() -> None:
    ready = {**OBJECT, "status": {"conditions": [{"type": "Ready", "status": "True", "reason": "Good"}]}}
    sent = sync_request(ready, {"Service.v1": {}}, {}, api="decorator")

    summary = SERVICES.handle_sync(sent, NOW).summary

    assert summary.reason == summary.reason_before == "Other"


REFUSED = {
    "no text": (DecoratorResponse(labels={"a": 1}), "labels['a'] must be text, or None to remove it"),  # type: ignore[dict-item] # refused
    "an empty status": (DecoratorResponse(status={}), "DecoratorResponse needs a status, or None to leave"),
    "a null": (DecoratorResponse(status={"a": [None]}), "status.a[0] is null: leave the field out"),
    "an undeclared kind": (
        DecoratorResponse(children=[{**MADE, "kind": "Secret"}]),
        "a child of an undeclared kind: add Secret to children= of the Controller",
    ),
    "another namespace": (
        DecoratorResponse(children=[{**MADE, "metadata": {"name": "db", "namespace": "elsewhere"}}]),
        "Service db: leave out metadata.namespace",
    ),
}


def test_the_gate_refuses_an_attachment_that_is_the_object_itself() -> None:
    itself = {**MADE, "metadata": {**MADE["metadata"], "uid": "u"}}

    with pytest.raises(RefusedResponse, match=r"^a child that is the parent itself$"):
        SERVICES.decide(SERVICES.request(itself), NOW)


@pytest.mark.parametrize(("response", "detail"), REFUSED.values(), ids=REFUSED.keys())
def test_the_gate_refuses_what_a_decorator_must_not_send(response: DecoratorResponse, detail: str) -> None:
    with pytest.raises(RefusedResponse) as raised:
        answer(deciding(response), body())

    assert raised.value.detail.startswith(detail)


MALFORMED: dict[str, tuple[Controller, bytes, str]] = {
    "a parent for a decorator": (
        SERVICES,
        sync_body(),
        "object is missing: the request is of a CompositeController, so use Controller in place of Decorator",
    ),
    "an object for a controller": (
        TINY,
        body(),
        "parent is missing: the request is of a DecoratorController, so use Decorator in place of Controller",
    ),
    "no group": (
        SERVICES,
        sync_request(OBJECT, {}, {}, api="decorator"),
        (
            "attachments has no group Service.v1: send {} for it if there is no such object; "
            "in a cluster, add the kind to attachments"
        ),
    ),
    "no attachment": (
        SERVICES,
        sync_request(OBJECT, {"Service.v1": {"a": {"metadata": {"name": 1}}}}, {}, api="decorator"),
        "attachments[Service.v1][*].metadata.name must be a string",
    ),
    "a finalize request to sync": (
        SERVICES,
        body(finalizing=True),
        "finalizing is true: in the controller, set the path of hooks.finalize to /finalize",
    ),
    "a finalize request to a hook without it": (
        TINY,
        sync_body(finalizing=True),
        "finalizing is true, and the hook has no finalize function: remove hooks.finalize from the controller",
    ),
}


@pytest.mark.parametrize(("controller", "sent", "text"), MALFORMED.values(), ids=MALFORMED.keys())
def test_a_request_for_another_hook_is_malformed(controller: Controller, sent: bytes, text: str) -> None:
    with pytest.raises(MalformedRequest) as raised:
        controller.handle_sync(sent, NOW)

    assert str(raised.value) == text


def test_the_object_of_a_customize_request_needs_no_generation_for_a_decorator() -> None:
    assert msgspec.json.decode(SERVICES.handle_customize(customize_request(OBJECT)).body) == {"relatedResources": []}
    with pytest.raises(MalformedRequest, match=r"^parent\.metadata\.generation is missing$"):
        TINY.handle_customize(customize_request(OBJECT))


def test_finalize_lets_an_object_go_once_its_attachments_are_gone() -> None:
    waiting, gone = (
        msgspec.json.decode(SERVICES.handle_finalize(body(*items, finalizing=True), NOW).body) for items in ([MADE], [])
    )

    assert waiting == {"attachments": [], "labels": {LABEL: None}, "finalized": False}
    assert gone == {**waiting, "finalized": True}


def test_finalize_lets_a_parent_go() -> None:
    request = sync_request(tenant(), {"Namespace.v1": {}, "ConfigMap.v1": {}}, {}, finalizing=True)

    assert msgspec.json.decode(TENANTS.handle_finalize(request, NOW).body) == {
        "status": {"namespaces": 0},
        "children": [],
        "finalized": True,
    }


def test_a_sync_request_never_finalizes() -> None:
    with pytest.raises(MalformedRequest, match=r"set the path of hooks\.sync to /sync$"):
        SERVICES.handle_finalize(body(), NOW)


@pytest.mark.parametrize(
    ("sync", "text"),
    [
        (lambda _, __: DecoratorFinalizeResponse(finalized=True), "sync returned a DecoratorFinalizeResponse"),
        (lambda _, __: SyncResponse({"a": 1}), "sync returned a SyncResponse: return a DecoratorResponse"),
    ],
    ids=["of finalize", "of a controller"],
)
def test_a_response_of_another_hook_is_refused(sync: Callable[..., Any], text: str) -> None:
    with pytest.raises(RefusedResponse, match=text):
        answer(replace(SERVICES, sync=sync), body())


def test_finalized_is_true_or_false() -> None:
    unsure: Any = "no"
    controller = replace(TENANTS, finalize=lambda _, __: FinalizeResponse({"a": 1}, finalized=unsure))

    with pytest.raises(RefusedResponse, match="finalized"):
        controller.decide(controller.request(tenant(), finalizing=True), NOW)


def test_a_unit_test_gets_what_finalize_decides() -> None:
    request = TENANTS.request(tenant(), finalizing=True)

    assert TENANTS.decide(request, NOW) == FinalizeResponse({"namespaces": 0}, finalized=True)
    assert SERVICES.decide(SERVICES.request(OBJECT), NOW).labels == {LABEL: "true"}


def test_a_unit_test_of_finalize_needs_a_finalize_function() -> None:
    with pytest.raises(MalformedRequest, match="no finalize function"):
        TINY.decide(TINY.request(PARENT, finalizing=True), NOW)


def test_a_controller_has_the_hooks_that_it_was_given() -> None:
    assert set(TENANTS.handlers) == {"sync", "customize", "finalize"}
    assert set(TINY.handlers) == {"sync", "customize"}
