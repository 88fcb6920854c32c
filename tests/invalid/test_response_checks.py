"""Negative controls: what the tests of bad input look for is found where it is."""

import json
import logging
from collections.abc import Callable
from datetime import datetime

import pytest
from fastapi import FastAPI

from app.core.desired.children import CHILDREN, LATER_CHILDREN
from metahook import Controller, SyncRequest, SyncResponse
from metahook.server.app import create_app
from tests.invalid.mutations import MADE
from tests.invalid.response_checks import faults
from tests.requests.builders import MYRESOURCE, NOW
from toolkit.mutations import CANARY, places, replaced, spelled
from toolkit.served.asgi import call

BODY = json.dumps(MADE).encode()

Decision = Callable[[SyncRequest, datetime], SyncResponse]


def fragile(request: SyncRequest, _: datetime) -> SyncResponse:
    """Read the spec as if it were always whole."""
    return SyncResponse(status={"image": json.loads(request.parent.spec)["image"]}, kept=request.children.kept())


def forgetful(request: SyncRequest, now: datetime) -> SyncResponse:
    """Leave the children out."""
    return SyncResponse(status=MYRESOURCE.sync(request, now).status)


def careless(request: SyncRequest, _: datetime) -> SyncResponse:
    """Keep children with a null in them, which the gate does not look for in those."""
    kept = request.children.kept()
    return SyncResponse(status={"a": 1}, kept=[{**child, "spec": None} for child in kept])


def talkative(request: SyncRequest, now: datetime) -> SyncResponse:
    """Log what it gets."""
    logging.getLogger("talkative").warning("%s", request.parent.spec)
    return MYRESOURCE.sync(request, now)


def served_by(decide: Decision) -> FastAPI:
    return create_app(Controller(sync=decide, children=CHILDREN, optional_kinds=LATER_CHILDREN), clock=lambda: NOW)


def test_a_fragile_controller_is_found_by_replacing_every_node() -> None:
    bodies = {
        spelled(path): json.dumps(replaced(MADE, path, lambda _: None)).encode()
        for path in places(MADE)
        if path[0:1] == ("parent",)
    }

    found = faults(served_by(fragile), "/sync", bodies)

    (fault,) = found["parent/spec"]
    assert fault.startswith('500: {"error": "the hook failed; its log says where", "id": ')
    assert "parent" not in found  # it is malformed, whatever the controller


def test_a_missing_deployment_is_found() -> None:
    assert faults(served_by(forgetful), "/sync", {"request": BODY}) == {"request": ["the Deployment is missing"]}


def test_a_null_is_found() -> None:
    assert faults(served_by(careless), "/sync", {"request": BODY}) == {"request": ["a null"]}


def test_a_log_that_repeats_the_request_is_found(caplog: pytest.LogCaptureFixture) -> None:
    call(served_by(talkative), "/sync", BODY)

    assert CANARY in caplog.text


def test_a_refusal_that_is_none_of_the_constant_ones_is_found() -> None:
    assert "404" in faults(served_by(fragile), "/other", {"request": BODY})["request"][0]


@pytest.mark.parametrize("path", ["/sync", "/customize"])
def test_the_service_as_it_is_has_no_faults(path: str) -> None:
    assert faults(create_app(MYRESOURCE, clock=lambda: NOW), path, {"request": BODY}) == {}
