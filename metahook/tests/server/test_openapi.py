"""The OpenAPI document: what it says of requests and answers holds for real ones."""

import json

import pytest
from jsonschema import Draft202012Validator

from metahook.protocol.request_builder import customize_request, sync_request
from metahook.server import Limits, ServerOptions, create_app
from toolkit.builders import NOW, NOW_TEXT, Json, owned
from toolkit.hooks.minimal import TINY
from toolkit.hooks.service_per_object import SERVICES
from toolkit.hooks.tenant import TENANTS
from toolkit.openapi import Document
from toolkit.served.asgi import call
from toolkit.widgets import WIDGETS, finished, grouped, synced, widget

APP = create_app(WIDGETS, clock=lambda: NOW)
DOCUMENT = Document(APP)
PORTS = [{"containerPort": 8080}]


def requests_of_a_life() -> dict[str, bytes]:
    parent = widget(ports=PORTS)
    made = [owned(child, parent) for child in synced(parent)["children"]]
    deleting = {**parent, "metadata": {**parent["metadata"], "deletionTimestamp": NOW_TEXT}}
    return {
        "new": sync_request(parent, grouped(), {}),
        "made": sync_request(parent, grouped(*made), grouped(made[1])),
        "finished": sync_request(parent, grouped(*finished(parent)), {}),
        "deleting": sync_request(deleting, grouped(), {}),
    }


LIFE = requests_of_a_life()


@pytest.mark.parametrize("name", ["Sync", "Customize"])
def test_a_hook_says_what_it_takes_and_what_it_gives(name: str) -> None:
    hook = DOCUMENT.whole["paths"][f"/{name.lower()}"]["post"]
    answers = {
        status: answer["content"]["application/json"]["schema"]["title"] for status, answer in hook["responses"].items()
    }

    assert DOCUMENT.whole["openapi"].startswith("3.1")
    assert hook["requestBody"]["required"] is True
    assert hook["requestBody"]["content"].keys() == {"application/json"}
    assert DOCUMENT.content(name)["schema"]["title"] == f"{name}RequestBody"
    assert answers == {"200": f"{name}ResponseBody", "4XX": "RefusalBody", "5XX": "RefusalBody"}


@pytest.mark.parametrize("name", ["Sync", "Customize"])
def test_the_example_of_a_request_is_answered(name: str) -> None:
    example = DOCUMENT.content(name)["example"]

    assert DOCUMENT.complaints(f"{name}RequestBody", example) == []
    assert call(APP, f"/{name.lower()}", json.dumps(example).encode()).status_code == 200


@pytest.mark.parametrize("field", ["parent", "children"])
def test_the_example_of_sync_is_the_least_that_is_answered(field: str) -> None:
    request = dict(DOCUMENT.content("Sync")["example"])

    assert request.keys() == {"parent", "children"}
    del request[field]
    assert call(APP, "/sync", json.dumps(request).encode()).status_code == 400


@pytest.mark.parametrize("name", ["SyncRequestBody", "SyncResponseBody", "CustomizeRequestBody", "RefusalBody"])
def test_every_schema_is_one_and_refers_to_nothing(name: str) -> None:
    Draft202012Validator.check_schema(DOCUMENT.schema(name))
    assert "$ref" not in json.dumps(DOCUMENT.schema(name))


@pytest.mark.parametrize("request_body", LIFE.values(), ids=LIFE.keys())
def test_sync_requests_and_their_answers_are_as_described(request_body: bytes) -> None:
    response = call(APP, "/sync", request_body)

    assert response.status_code == 200
    assert DOCUMENT.complaints("SyncRequestBody", json.loads(response.request.content)) == []
    assert DOCUMENT.complaints("SyncResponseBody", response.json()) == []


@pytest.mark.parametrize("parent", [widget(ports=PORTS), widget()])
def test_customize_requests_and_their_answers_are_as_described(parent: Json) -> None:
    response = call(APP, "/customize", customize_request(parent))

    assert response.status_code == 200
    assert DOCUMENT.complaints("CustomizeRequestBody", json.loads(response.request.content)) == []
    assert DOCUMENT.complaints("CustomizeResponseBody", response.json()) == []


def test_refusals_are_as_described() -> None:
    refused = [
        call(APP, "/sync", b"{}"),
        call(APP, "/sync", b"{}", headers={}),
        call(APP, "/other"),
        call(APP, "/sync", method="GET"),
        call(create_app(TINY, ServerOptions(Limits(max_body=1))), "/sync", b"{}"),
    ]

    assert [response.status_code for response in refused] == [400, 415, 404, 405, 413]
    assert [DOCUMENT.complaints("RefusalBody", response.json()) for response in refused] == [[]] * 5


NOT_AS_DESCRIBED: dict[str, tuple[str, Json]] = {
    "a request without children": ("SyncRequestBody", {"parent": widget()}),
    "a request without a parent": ("SyncRequestBody", {"children": {}}),
    "a parent without a uid": (
        "CustomizeRequestBody",
        {"parent": {"metadata": {"name": "a", "namespace": "b", "generation": 1}}},
    ),
    "children in a list": ("SyncRequestBody", {"parent": widget(), "children": []}),
    "an answer without a status": ("SyncResponseBody", {"children": []}),
    "an answer with an empty status": ("SyncResponseBody", {"children": [], "status": {}}),
    "an answer without children": ("SyncResponseBody", {"status": {"a": 1}}),
    "null for a child": ("SyncResponseBody", {"status": {"a": 1}, "children": [None]}),
    "a resync at once": ("SyncResponseBody", {"status": {"a": 1}, "children": [], "resyncAfterSeconds": 0}),
    "a rule without a namespace": (
        "CustomizeResponseBody",
        {"relatedResources": [{"apiVersion": "v1", "resource": "pods"}]},
    ),
}


@pytest.mark.parametrize(("name", "instance"), NOT_AS_DESCRIBED.values(), ids=NOT_AS_DESCRIBED.keys())
def test_the_description_can_be_broken(name: str, instance: Json) -> None:
    assert len(DOCUMENT.complaints(name, instance)) == 1


OTHERS = create_app({"/tenants": TENANTS, "/services": SERVICES})
"""Controllers of another shape: with finalize, cluster-scoped parents, and a decorator."""


@pytest.mark.parametrize(
    "path", [f"{prefix}/{hook}" for prefix in ("/tenants", "/services") for hook in ("sync", "customize", "finalize")]
)
def test_the_example_of_any_hook_is_as_described_and_so_is_its_answer(path: str) -> None:
    described = call(OTHERS, "/openapi.json", method="GET").json()["paths"][path]["post"]
    request = described["requestBody"]["content"]["application/json"]

    response = call(OTHERS, path, json.dumps(request["example"]).encode())

    answered = described["responses"]["200"]["content"]["application/json"]["schema"]
    assert response.status_code == 200
    assert list(Draft202012Validator(request["schema"]).iter_errors(request["example"])) == []
    assert list(Draft202012Validator(answered).iter_errors(response.json())) == []
    assert list(Draft202012Validator(answered).iter_errors({})) != []
