"""The OpenAPI document of the operator: what it says of requests and answers holds for real ones."""

import json

import pytest
import yaml

from metahook.protocol.request_builder import sync_request
from metahook.server.app import create_app
from tests.docs.documents import ROOT
from tests.recorded.traffic import load
from tests.requests.builders import MYRESOURCE, NOW, finished, grouped, my_resource, owned, sync
from toolkit.openapi import Document
from toolkit.served.asgi import call

APP = create_app(MYRESOURCE, clock=lambda: NOW)
DOCUMENT = Document(APP)
PORTS = [{"containerPort": 8080}]


def requests_of_a_life() -> dict[str, bytes]:
    parent = my_resource(ports=PORTS)
    made = [owned(child, parent) for child in sync(parent)["children"]]
    related = grouped(made[1], kinds=("Service",))
    invalid = my_resource(replicas=-1)
    return {
        "new": sync_request(parent, grouped(), {}),
        "made": sync_request(parent, grouped(*made), related),
        "finished": sync_request(parent, grouped(*finished(parent)), related),
        "invalid": sync_request(invalid, grouped(*made), {}),
        "deleting": sync_request(my_resource(deleting=True), grouped(), {}),
        **{recorded.name: recorded.body for recorded in load() if recorded.path == "/sync"},
    }


LIFE = requests_of_a_life()


def test_the_example_of_a_my_resource_is_the_one_of_the_readme() -> None:
    web = yaml.safe_load((ROOT / "examples/web.yaml").read_text())
    answer = call(APP, "/sync", json.dumps(DOCUMENT.content("Sync")["example"]).encode()).json()

    assert DOCUMENT.content("Sync")["example"]["parent"]["spec"] == web["spec"]
    assert [child["kind"] for child in answer["children"]] == ["Deployment"]


@pytest.mark.parametrize("request_body", LIFE.values(), ids=LIFE.keys())
def test_sync_requests_and_their_answers_are_as_described(request_body: bytes) -> None:
    response = call(APP, "/sync", request_body)

    assert response.status_code == 200
    assert DOCUMENT.complaints("SyncRequestBody", json.loads(response.request.content)) == []
    assert DOCUMENT.complaints("SyncResponseBody", response.json()) == []
