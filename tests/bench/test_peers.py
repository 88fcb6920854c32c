"""The peers answer the requests that are measured as a sync hook does."""

import json
from typing import Any

import pytest

from bench.comparison.bodies import body
from bench.peers import fastapi_models, http_server
from tests.calling import call

STATES = {"2 KB": "Building", "6 KB": "Ready", "15 KB": "Ready", "200 KB": "Ready"}
each_size = pytest.mark.parametrize("size", STATES)


def without_empty(item: Any) -> Any:
    """Return *item* without the empty maps and lists in it: models have them as defaults."""
    if isinstance(item, dict):
        return {key: without_empty(value) for key, value in item.items() if value not in ({}, [])}
    return [without_empty(each) for each in item] if isinstance(item, list) else item


@each_size
def test_http_server_answers_with_the_deployment_and_its_state(size: str) -> None:
    request = json.loads(body(size, 1))

    response = http_server.sync(request["parent"], request["children"])

    assert response["status"]["state"] == STATES[size]
    assert response["children"][0]["metadata"]["name"] == "web0001-deployment"


@each_size
def test_fastapi_answers_as_http_server_does(size: str) -> None:
    request = json.loads(body(size, 1))

    response = call(fastapi_models.app, "/sync", body(size, 1))

    expected = http_server.sync(request["parent"], request["children"])
    assert without_empty(response.json()) == without_empty(expected)
