"""Bodies that no Metacontroller would send: each is answered or refused, never with a 5xx, and nothing is repeated."""

import logging
from collections.abc import Mapping

import pytest

from metahook.protocol.request_builder import sync_request
from metahook.server.app import create_app
from tests.invalid.response_checks import faults, is_refused
from tests.requests.builders import MYRESOURCE, NOW, grouped, my_resource, owned
from toolkit.mutations import CANARY
from toolkit.served.asgi import call, post_all

APP = create_app(MYRESOURCE, clock=lambda: NOW)
PARENT = my_resource(env=[{"name": "WORD", "value": CANARY}])
CHILD = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web-deployment", "namespace": "default"}}
SMALL = sync_request(PARENT, grouped(owned(CHILD, PARENT)), {})


def not_refused(bodies: Mapping[str, bytes], path: str = "/sync") -> dict[str, int]:
    """Return the status for those of *bodies* that are not refused as malformed."""
    answers = zip(bodies, post_all(APP, path, bodies.values()), strict=True)
    return {name: answer.status_code for name, answer in answers if not is_refused(answer, 400)}


def test_a_request_cut_anywhere_is_malformed_and_not_repeated(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="metahook")

    assert not_refused({f"cut at {end}": SMALL[:end] for end in range(len(SMALL))}) == {}
    assert CANARY not in caplog.text


def test_a_byte_that_is_no_text_is_malformed_wherever_it_stands() -> None:
    assert (
        not_refused({f"at {place}": SMALL[:place] + b"\xff" + SMALL[place + 1 :] for place in range(len(SMALL))}) == {}
    )


def marked(raw: bytes) -> bytes:
    """Return a request with *raw* in the middle of a text that is read."""
    return SMALL.replace(CANARY.encode(), CANARY.encode() + raw)


def skipped(raw: bytes) -> bytes:
    """Return a request with *raw* in the middle of a text that is skipped."""
    return b'{"later":"' + CANARY.encode() + raw + b'",' + SMALL[1:]


NOT_TEXT = {
    "half a surrogate pair": rb"\ud800",
    "the other half": rb"\udc00",
    "two first halves": rb"\ud800\ud800",
    "a surrogate in bytes": b"\xed\xa0\x80",
    "a byte that UTF-8 has not": b"\xff",
    "half a character": b"\xc3",
    "a character in too many bytes": b"\xc0\xaf",
    "a control character": b"\x00",
    "a line feed": b"\n",
    "an unknown escape": rb"\q",
}


@pytest.mark.parametrize("raw", NOT_TEXT.values(), ids=NOT_TEXT.keys())
def test_text_that_is_none_is_malformed_whether_it_is_read_or_skipped(
    raw: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="metahook")

    assert not_refused({"read": marked(raw), "skipped": skipped(raw)}) == {}
    assert CANARY not in caplog.text


@pytest.mark.parametrize("raw", ["ü你".encode(), rb"\ud83d\ude00", rb"\u0000"], ids=["letters", "pair", "escaped zero"])
def test_text_that_is_some_is_answered(raw: bytes) -> None:
    bodies = {"read": marked(raw), "skipped": skipped(raw)}

    assert not_refused(bodies) == {"read": 200, "skipped": 200}
    assert faults(APP, "/sync", bodies) == {}


NOT_REQUESTS = {
    "nothing": b"",
    "white space": b" \n",
    "UTF-16": SMALL.decode().encode("utf-16"),
    "UTF-32": SMALL.decode().encode("utf-32"),
    "byte order mark": b"\xef\xbb\xbf" + SMALL,
    "two requests": SMALL + SMALL,
    "a comma at the end": SMALL[:-1] + b",}",
    "single quotes": SMALL.replace(b'"', b"'"),
    "a comment": b"/* " + CANARY.encode() + b" */" + SMALL,
    "a list of requests": b"[" + SMALL + b"]",
    "a parent without metadata": sync_request({"spec": PARENT["spec"]}, {}, {}),
    "a parent that is null": b'{"parent":null,"children":{}}',
    "a child without metadata": sync_request(PARENT, {"Deployment.apps/v1": {"x": {"spec": {}}}}, {}),
    "a form": b"parent=" + CANARY.encode(),
}


@pytest.mark.parametrize("body", NOT_REQUESTS.values(), ids=NOT_REQUESTS.keys())
def test_what_is_no_request_is_malformed_and_not_repeated(body: bytes, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="metahook")

    assert not_refused({"body": body}) == {}
    assert CANARY not in caplog.text


@pytest.mark.parametrize("path", ["/sync", "/customize"])
def test_forty_megabytes_are_too_large(path: str) -> None:
    body = b'{"later":"' + b"x" * 40_000_000 + b'",' + SMALL[1:]

    response = call(APP, path, body)

    assert response.status_code == 413
    assert is_refused(response, 413)


@pytest.mark.parametrize("path", ["/sync", "/customize"])
def test_the_small_request_is_answered_when_nothing_is_wrong_with_it(path: str) -> None:
    assert not_refused({"small": SMALL}, path) == {"small": 200}
    assert faults(APP, path, {"small": SMALL}) == {}
