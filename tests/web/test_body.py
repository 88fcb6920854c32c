"""Bodies within limits: how long, of which type."""

import asyncio
from collections.abc import Mapping

import pytest
from starlette.types import Message, Receive

from app.web.app import MAX_BODY, create_app
from tests.build import NOW
from tests.calling import JSON, call
from tests.tiny import TINY, sync_body

BODY = sync_body()
EXACT = create_app(TINY, clock=lambda: NOW, max_body=len(BODY))
SHORT = create_app(TINY, clock=lambda: NOW, max_body=len(BODY) - 1)
TOO_LARGE = (413, b'{"error": "the request is too large"}')
UNSUPPORTED = (415, b'{"error": "send application/json, without content encoding"}')


def in_pieces(body: bytes, size: int) -> list[bytes]:
    return [body[start : start + size] for start in range(0, len(body), size)]


def test_a_body_may_be_as_long_as_the_limit() -> None:
    assert call(EXACT, "/sync", BODY).status_code == 200
    assert call(EXACT, "/sync", in_pieces(BODY, 10)).status_code == 200


def test_a_body_one_byte_longer_is_refused_by_its_content_length() -> None:
    response = call(SHORT, "/sync", BODY)

    assert (response.status_code, response.content) == TOO_LARGE
    assert response.headers["connection"] == "close"


def test_a_body_one_byte_longer_is_refused_by_counting() -> None:
    response = call(SHORT, "/sync", in_pieces(BODY, 10))

    assert "content-length" not in response.request.headers
    assert (response.status_code, response.content) == TOO_LARGE
    assert response.headers["connection"] == "close"


def test_a_body_is_counted_even_if_its_content_length_is_smaller() -> None:
    response = call(SHORT, "/sync", BODY, headers={"content-type": "application/json", "content-length": "2"})

    assert (response.status_code, response.content) == TOO_LARGE


def exchange(receive: Receive, headers: Mapping[str, str] = JSON, *, max_body: int = 1_000) -> list[Message]:
    """Return what the app sends to a client whose body is what *receive* returns."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/sync", "headers": encoded, "query_string": b""}
    asyncio.run(create_app(TINY, max_body=max_body)(scope, receive, send))
    return sent


@pytest.mark.parametrize(
    ("headers", "status", "pieces"),
    [(JSON, 413, 11), ({**JSON, "content-length": "1001"}, 413, 0), ({"content-type": "text/plain"}, 415, 0)],
    ids=["too long", "announced as too long", "of another type"],
)
def test_no_more_is_taken_of_a_long_body_than_it_needs_to_refuse_it(
    headers: dict[str, str], status: int, pieces: int
) -> None:
    taken = []

    async def long() -> Message:
        taken.append(b"x" * 100)
        return {"type": "http.request", "body": taken[-1], "more_body": len(taken) < 1_000}

    sent = exchange(long, headers)

    assert (sent[0]["status"], len(taken)) == (status, pieces)


def test_a_client_that_leaves_is_answered_as_if_its_body_were_cut() -> None:
    async def gone() -> Message:
        return {"type": "http.disconnect"}

    sent = exchange(gone)

    assert sent[0]["status"] == 400
    assert sent[1]["body"] == b'{"error": "not a hook request"}'


def test_ten_megabytes_are_too_long_for_the_service_as_it_is() -> None:
    assert MAX_BODY == 4 * 1024 * 1024
    assert call(create_app(TINY), "/sync", b"x" * 10_000_000).status_code == 413
    assert call(create_app(TINY), "/sync", sync_body(later="x" * 4_000_000)).status_code == 200


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "Application/JSON",
        " application/json ;",
    ],
)
def test_json_is_taken_with_parameters_and_in_any_case(content_type: str) -> None:
    assert call(EXACT, "/sync", BODY, headers={"content-type": content_type}).status_code == 200


@pytest.mark.parametrize(
    "content_type",
    ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonx", "application/json-patch+json", "*/*"],
)
def test_another_content_type_is_not(content_type: str) -> None:
    response = call(EXACT, "/sync", BODY, headers={"content-type": content_type})

    assert (response.status_code, response.content) == UNSUPPORTED


def test_a_body_without_a_content_type_is_not_taken() -> None:
    response = call(EXACT, "/sync", BODY, headers={})

    assert (response.status_code, response.content) == UNSUPPORTED


@pytest.mark.parametrize("encoding", ["gzip", "identity", ""])
def test_an_encoded_body_is_not_taken(encoding: str) -> None:
    response = call(EXACT, "/sync", BODY, headers={"content-type": "application/json", "content-encoding": encoding})

    assert (response.status_code, response.content) == UNSUPPORTED
