"""Requests with anything in any place: every node of a recorded request is replaced in turn."""

import json
import logging
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from app.core.desired.children import CHILDREN, NOT_ALWAYS_LISTED
from metahook import Controller, SyncRequest, SyncResponse
from metahook.server.app import create_app
from tests.invalid.mutations import (
    DEPLOYMENT,
    KEPT_BY_ANNOTATION,
    KEPT_BY_MANAGED_FIELDS,
    MADE,
    REQUESTS,
    record_of,
    with_record,
    with_text,
)
from tests.invalid.response_checks import faults
from tests.requests.builders import MYRESOURCE, NOW, Json
from toolkit.mutations import CANARY, REPLACEMENTS, Path, places, replaced, spelled, without
from toolkit.slow import short_or_whole

APP = create_app(MYRESOURCE, clock=lambda: NOW)

Change = Callable[[Any], Any]


def variants(request: Json, change: Change, step: int = 1) -> dict[str, Json]:
    return {spelled(path): replaced(request, path, change) for path in [*places(request)][::step]}


def encoded(requests: dict[str, Json]) -> dict[str, bytes]:
    return {name: json.dumps(request).encode() for name, request in requests.items()}


@pytest.mark.slow
@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS.keys())
@pytest.mark.parametrize("change", REPLACEMENTS.values(), ids=REPLACEMENTS.keys())
def test_whatever_stands_in_whichever_place_sync_answers_or_refuses(
    request_: Json, change: Change, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    requests = variants(request_, change, short_or_whole(7, 1))

    assert faults(APP, "/sync", encoded(requests)) == {}
    assert CANARY not in caplog.text


@pytest.mark.parametrize("change", REPLACEMENTS.values(), ids=REPLACEMENTS.keys())
def test_whatever_stands_in_the_record_of_what_was_applied_sync_answers_or_refuses(change: Change) -> None:
    records = variants(record_of(KEPT_BY_ANNOTATION), change)
    requests = {name: with_record(KEPT_BY_ANNOTATION, json.dumps(record)) for name, record in records.items()}

    assert faults(APP, "/sync", encoded(requests)) == {}


@pytest.mark.parametrize("change", REPLACEMENTS.values(), ids=REPLACEMENTS.keys())
def test_whatever_stands_in_whichever_place_customize_answers_or_refuses(change: Change) -> None:
    assert faults(APP, "/customize", encoded(variants({"parent": MADE["parent"]}, change))) == {}


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS.keys())
def test_whatever_is_missing_sync_answers_or_refuses(request_: Json) -> None:
    requests = {spelled(path): without(request_, path) for path in places(request_) if path}

    assert faults(APP, "/sync", encoded(requests)) == {}


TEXTS = [
    *("NaN", "Infinity", "-Infinity", "1e400", "-1e400", "1" * 4_000, "1e-400", "-0", "01", "+1", ".5", "0x10"),
    *(pair[:-1] * levels + '""' + pair[-1] * levels for pair in ("[]", '{"x":}') for levels in (500, 2_000, 100_000)),
]
"""Numbers that are none or too large, and deep nesting."""

SPEC, CHILD = ("parent", "spec"), (*DEPLOYMENT, "spec")
PLACES: list[Path] = [
    *(("later",), ("parent",), ("parent", "metadata", "generation"), ("related",), ("children",)),
    *(SPEC, *((*SPEC, field) for field in ("replicas", "memory", "env"))),
    *(("parent", "status", *path) for path in ((), ("conditions",), ("conditions", 0))),
    *(DEPLOYMENT[:2], DEPLOYMENT, (*DEPLOYMENT, "metadata", "managedFields"), (*DEPLOYMENT, "status", "replicas")),
    *(CHILD, (*CHILD, "replicas"), (*CHILD, "template", "spec", "containers")),
]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: f"{text[:5]} {len(text)}")
@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS.keys())
def test_what_no_api_server_stores_is_answered_or_refused_wherever_it_stands(request_: Json, text: str) -> None:
    whole = replaced(request_, SPEC, lambda spec: {"replicas": 1, **spec})
    whole = replaced(whole, (*DEPLOYMENT, "metadata"), lambda metadata: {"managedFields": [], **metadata})
    bodies = {spelled(path): with_text({**whole, "later": None}, path, text) for path in PLACES}

    assert faults(APP, "/sync", bodies) == {}


def forgetful(request: SyncRequest, now: datetime) -> SyncResponse:
    """Leave the children out."""
    return SyncResponse(status=MYRESOURCE.sync(request, now).status)


def test_a_missing_deployment_is_found() -> None:
    """A negative control: what these tests look for is found where it is."""
    app = create_app(Controller(forgetful, CHILDREN, optional_kinds=NOT_ALWAYS_LISTED), clock=lambda: NOW)

    assert faults(app, "/sync", encoded({"request": MADE})) == {"request": ["the Deployment is missing"]}


@pytest.mark.parametrize(
    ("request_", "state"),
    [(MADE, "Building"), (KEPT_BY_ANNOTATION, "Failed"), (KEPT_BY_MANAGED_FIELDS, "Failed")],
    ids=["made", "kept by annotation", "kept by managed fields"],
)
def test_undamaged_these_requests_are_answered(request_: Json, state: str) -> None:
    body = json.dumps(request_).encode()

    answer = json.loads(MYRESOURCE.handle_sync(body, NOW).body)

    assert faults(APP, "/sync", {"undamaged": body}) == {}
    assert [child["kind"] for child in answer["children"]] == ["Deployment", "Service"]
    assert answer["status"]["state"] == state
