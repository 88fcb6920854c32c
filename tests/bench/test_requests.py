import json
from datetime import UTC, datetime
from typing import Any

import pytest

from bench.comparison.bodies import body
from bench.comparison.requests import Requests
from tests.requests.builders import MYRESOURCE

SIZES = {"2 KB": 2, "6 KB": 6, "200 KB": 200}
"""KB."""


def content(raw: bytearray) -> Any:
    """Return the content of a request as it is sent, whose head must have the right length."""
    head, _, found = bytes(raw).partition(b"\r\n\r\n")
    assert f"Content-Length: {len(found)}\r\n".encode() in head
    return json.loads(found)


@pytest.mark.parametrize("size", SIZES)
def test_a_request_has_the_size_of_its_name(size: str) -> None:
    assert abs(len(body(size, 0)) / 1000 / SIZES[size] - 1) < 0.1


@pytest.mark.parametrize("size", SIZES)
def test_the_hook_is_at_rest_for_each_myresource(size: str) -> None:
    """Nothing is left to write, so that a response does not depend on the time: except that no child is there yet."""
    request = json.loads(body(size, 7))
    answer = json.loads(MYRESOURCE.handle_sync(body(size, 7), datetime(2026, 11, 1, tzinfo=UTC)).body)

    assert "web0007" in request["parent"]["metadata"]["name"]
    if size == "2 KB":
        assert answer["status"]["state"] == "Building"
    else:
        assert {**answer["status"], "observedGeneration": request["parent"]["metadata"]["generation"]} == {
            "observedGeneration": 1,
            **request["parent"]["status"],
        }
        assert "resyncAfterSeconds" not in answer


def test_a_changed_request_differs_in_versions_and_times_alone() -> None:
    (request,) = Requests([body("6 KB", 1)]).all
    first = content(request.changed(1))
    second = content(request.changed(61))

    def without(found: Any) -> Any:
        if isinstance(found, dict):
            return {key: without(value) for key, value in found.items() if key not in {"resourceVersion", "time"}}
        return [without(each) for each in found] if isinstance(found, list) else found

    assert first != second
    assert without(first) == without(second) == without(json.loads(body("6 KB", 1)))
    (deployment,) = second["children"]["Deployment.apps/v1"].values()
    assert deployment["metadata"]["managedFields"][0]["time"] == "2026-01-01T00:01:01Z"
