"""Unit tests: sync is a function of a request and a time, so a test calls it."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from greetings import GREETINGS
from msgspec.structs import replace

from metahook import Controller, RefusedResponse, SyncRequest, SyncResponse

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


def greeting(**spec: Any) -> dict[str, Any]:  # noqa: ANN401 - a spec has any fields
    return {"apiVersion": "example.com/v1", "kind": "Greeting", "metadata": {"name": "hi"}, "spec": spec}


def config_map(text: str) -> dict[str, Any]:
    metadata = {"name": "hi", "namespace": "default"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"text": text}}


def test_a_new_greeting_gets_a_config_map_with_its_text() -> None:
    response = GREETINGS.sync(GREETINGS.request(greeting(text="hello")), NOW)

    assert response == SyncResponse(status={"state": "Building"}, children=[config_map("hello")])


def check_state(hook: Controller) -> None:
    """The state is Ready once the ConfigMap has the text of the spec, and only then."""
    for observed, state in (("hello", "Ready"), ("bye", "Building")):
        request = hook.request(greeting(text="hello"), children=[config_map(observed)])

        assert hook.sync(request, NOW).status == {"state": state}


def test_the_state_is_ready_once_the_config_map_has_the_text() -> None:
    check_state(GREETINGS)


def test_a_text_that_is_no_string_is_reported_and_the_config_map_is_kept() -> None:
    response = GREETINGS.sync(GREETINGS.request(greeting(text=5), children=[config_map("hello")]), NOW)

    assert response.status == {"state": "Failed", "message": "spec.text must be a string"}
    assert response.children == []
    assert [child["metadata"]["name"] for child in response.kept] == ["hi"]


def test_the_same_request_gives_the_same_bytes() -> None:
    metadata = {"name": "hi", "namespace": "default", "uid": "1", "generation": 1}
    parent = {**greeting(text="hello"), "metadata": metadata}
    body = json.dumps({"parent": parent, "children": {"ConfigMap.v1": {}}}).encode()

    assert GREETINGS.handle_sync(body, NOW).body == GREETINGS.handle_sync(body, NOW).body


# Hooks with a mistake: the tests above notice it, or metahook does.


def always_ready(request: SyncRequest, now: datetime) -> SyncResponse:
    return replace(GREETINGS.sync(request, now), status={"state": "Ready"})


def without_a_status(request: SyncRequest, now: datetime) -> SyncResponse:
    return replace(GREETINGS.sync(request, now), status={})


def test_a_hook_that_reports_what_it_desires_is_noticed() -> None:
    with pytest.raises(AssertionError):
        check_state(replace(GREETINGS, sync=always_ready))


def test_a_response_without_a_status_is_refused() -> None:
    body = (
        b'{"parent": {"metadata": {"name": "hi", "namespace": "a", "uid": "1", "generation": 1}, "spec": {"text": ""}},'
    )

    with pytest.raises(RefusedResponse):
        replace(GREETINGS, sync=without_a_status).handle_sync(body + b'"children": {"ConfigMap.v1": {}}}', NOW)
