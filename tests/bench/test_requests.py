import json
from datetime import UTC, datetime

import pytest

from bench.comparison.bodies import body
from tests.requests.builders import MYRESOURCE

SIZES = {"2 KB": 2, "6 KB": 6, "200 KB": 200}
"""KB."""


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
